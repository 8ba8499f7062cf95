"""The derivatives of adjoint's rules for operations that JAX differentiates, where jit or vmap have recorded them.

JAX would differentiate how an operation is computed. At a norm of zero, at a tie or at the bound of a clip that has
another slope, or none: the square root of zero.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adjoint.arrays import kernels
from adjoint.arrays.backends import Backend
from adjoint.arrays.broadcasting import unbroadcast
from adjoint.engine.rule import Op

if TYPE_CHECKING:
    from adjoint.arrays.array_rule import ArrayOp


def with_own_slope(op: "Op | ArrayOp", m: Any, datas: Sequence, static: dict[str, object], y: Any) -> Any:
    """Return `y`, the result of an operation, such that JAX differentiates it by the rule of forward mode."""
    moving = [i for i, x in enumerate(datas) if hasattr(x, "dtype") and m.is_floating(x.dtype)]
    others = m.jax.tree_util.tree_leaves([static, [x for i, x in enumerate(datas) if i not in moving]])
    if not m.is_traced(y) or not moving or not _has_rule(op) or any(map(m.is_traced, others)):
        return y
    if not isinstance(op, Op) and op.jvp is None:
        return _with_own_pullback(op, m, datas, moving, static, y)
    result = m.jax.custom_jvp(lambda y, *xs: y)

    def push(primals, tangents):
        y, *xs = primals
        operands, ts = list(datas), [None] * len(datas)
        for i, x, t in zip(moving, xs, tangents[1:]):
            operands[i], ts[i] = x, None if isinstance(t, m.jax.custom_derivatives.SymbolicZero) else t
        if all(t is None for t in ts):
            return result(*primals), m.xp.zeros_like(y)
        found = _along(op, m, ts, y, operands, static)
        return result(*primals), m.astype(m.broadcast_to(found, y.shape), y.dtype)

    result.defjvp(push, symbolic_zeros=True)
    return result(y, *[datas[i] for i in moving])


def _with_own_pullback(
    op: "ArrayOp", m: Any, datas: Sequence, moving: list[int], static: dict[str, object], y: Any
) -> Any:
    """Return `y` such that JAX differentiates it by the gradient of an operation without a rule of forward mode."""
    result = m.jax.custom_vjp(lambda y, *xs: y)

    def pull(kept, g):
        y, *xs = kept
        operands = list(datas)
        for i, x in zip(moving, xs):
            operands[i] = x
        found = [0.0 if c is None else c for c in op.contributions(m, g, y, operands, static, moving)]
        found = [unbroadcast(m.xp.asarray(c, x.dtype), x, m) for c, x in zip(found, xs)]
        return m.xp.zeros_like(y), *[m.broadcast_to(c, x.shape) for c, x in zip(found, xs)]

    result.defvjp(lambda y, *xs: (y, (y, *xs)), pull)
    return result(y, *[datas[i] for i in moving])


def _has_rule(op: "Op | ArrayOp") -> bool:
    """Return whether the derivative may differ from JAX's: that of a linear operation does not.

    Operations with several results have rules in JAX itself. One that is made for a single call, as those of fused
    losses, may hold tracers of that call.
    """
    return isinstance(op, Op) or (op.lasting and not op.linear and op.name not in _SEVERAL)


_SEVERAL = ("part", "svd", "eigh", "qr", "slogdet")


def _along(op: "Op | ArrayOp", m: Backend, ts: list, y, operands: list, static: dict[str, object]) -> Any:
    if not isinstance(op, Op):
        assert op.jvp is not None  # see _has_rule
        return op.jvp(m, ts, y, *operands, **static)
    terms = []
    for i, t in enumerate(ts):
        if t is not None:
            t, slope_times = m.broadcast_to(t, y.shape), kernels.slope_times(op, i, operands, m)
            # JAX multiplies by each formula between which a slope chooses, and 0 times infinity is NaN: choose first
            is_choice = kernels.chooses(op, i)
            terms.append(
                slope_times(m.xp.ones_like(y), y, *operands) * t if is_choice else slope_times(t, y, *operands)
            )
    return unbroadcast(m.total(*terms), y, m)
