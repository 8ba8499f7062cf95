"""The derivatives of adjoint's rules for operations that JAX differentiates, as it does for functions under vmap.

JAX would differentiate how an operation is computed. At a norm of zero, at a tie or at the bound of a clip that has
another slope, or none: the square root of zero.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from adjoint.arrays import kernels
from adjoint.arrays.backends import Backend
from adjoint.arrays.broadcasting import unbroadcast
from adjoint.engine.rule import Op

if TYPE_CHECKING:
    from adjoint.arrays.array_rule import ArrayOp


def compute_with_rule(
    op: "Op | ArrayOp", m: Any, datas: Sequence, static: dict[str, object], compute: Callable[..., Any]
) -> Any:
    """Return `compute(*datas)`, for which JAX uses the rule of forward mode of the operation."""
    moving = [i for i, x in enumerate(datas) if hasattr(x, "dtype") and m.is_floating(x.dtype)]
    others = [*static.values(), *(x for i, x in enumerate(datas) if i not in moving)]
    if not moving or not _has_rule(op) or any(map(m.is_traced, others)):
        return compute(*datas)

    def whole(parts: Sequence, rest: Sequence) -> list:
        found = list(rest)
        for i, part in zip(moving, parts):
            found[i] = part
        return found

    function = m.jax.custom_jvp(lambda *xs: compute(*whole(xs, datas)))

    @function.defjvp
    def push(xs, tangents):
        operands, ts = whole(xs, datas), whole(tangents, [None] * len(datas))
        y = function(*xs)
        t = _along(op, m, ts, y, operands, static)
        return y, m.astype(m.broadcast_to(t, y.shape), y.dtype)

    return function(*[datas[i] for i in moving])


def _has_rule(op: "Op | ArrayOp") -> bool:
    """Return whether the derivative may differ from JAX's: that of a linear operation does not.

    Operations with several results have rules in JAX itself.
    """
    return isinstance(op, Op) or (not op.linear and op.jvp is not None and op.name not in _SEVERAL)


_SEVERAL = ("part", "svd", "eigh", "qr", "slogdet")


def _along(op: "Op | ArrayOp", m: Backend, ts: list, y, operands: list, static: dict[str, object]) -> Any:
    if not isinstance(op, Op):
        assert op.jvp is not None  # see _has_rule
        return op.jvp(m, ts, y, *operands, **static)
    terms = [
        kernels.slope_times(op, i, operands, m)(m.broadcast_to(t, y.shape), y, *operands)
        for i, t in enumerate(ts)
        if t is not None
    ]
    return unbroadcast(m.total(*terms), y, m)
