"""What a rule of whole arrays is: how to compute an operation, and the vector-Jacobian product of each operand.

An operation with several results, such as `svd`, is one node that holds a tuple, and a node for each part of it that
`pick` takes out.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

from adjoint.arrays.apply import apply_array_op
from adjoint.arrays.backends import NUMPY, is_half
from adjoint.arrays.convert import data_of
from adjoint.arrays.fast_operations import FAST
from adjoint.engine.value import Value

if TYPE_CHECKING:
    from adjoint.engine.mathematics.protocol import ArrayMathematics


class ArrayOp:
    """An operation on whole arrays: how to compute it, and what its gradient is for each operand.

    `forward(m, *operands, **static)` computes it. `vjps` holds, for each operand, the vector-Jacobian product
    `vjp(m, g, y, *operands, **static)`: what an operand receives when the result `y` has the gradient `g`. They
    are written in `m`, so that they can be differentiated again when they are read with Values. Static arguments (an
    axis, a shape, an index) have no gradient.

    Forward mode needs no further rule for a linear operation. It may be linear in all operands together
    (`"jointly"`: the tangent of the result is the operation on the tangents), or in each operand while the others are
    constant (`"each"`: the tangent is a sum with one operand at a time replaced). Other operations have a rule
    `jvp(m, tangents, y, *operands, **static)`, where the tangent of a constant is None.

    `reads` says which data, beyond shapes, the derivatives use: "x" for the operands, "y" for the result.
    `view` says that the result may share its memory with the first operand. `keeps_integers` says that integers and
    truth values stay what they are, as in NumPy, if there are no floats among the operands; other operations convert
    them to floats.

    `fast_vjps(g, y, *operands, **static)` computes all vector-Jacobian products of NumPy arrays at once, in the native
    core; None leaves them to `vjps`.
    """

    _is_array_op = True  # see `arrays/kinds.py`

    __slots__ = (
        "__weakref__",
        "each_vjp",
        "fast_vjps",
        "forward",
        "jvp",
        "keeps_integers",
        "lasting",
        "linear",
        "name",
        "reads",
        "view",
        "vjps",
    )

    def __init__(
        self,
        name: str,
        forward: Callable | None,
        vjps: tuple[Callable, ...],
        each_vjp: Callable | None,
        jvp: Callable | None,
        linear: str,
        reads: str,
        view: bool,
        fast_vjps: Callable | None = None,
        keeps_integers: bool = False,
    ):
        self.forward: Any = forward  # None for an operation that is never applied by itself
        self.name, self.vjps, self.each_vjp = name, vjps, each_vjp
        self.jvp, self.linear, self.reads, self.view = jvp, linear, reads, view
        self.fast_vjps, self.keeps_integers = fast_vjps, keeps_integers
        self.lasting = False  # not made for a single call, whose arrays it may hold

    def __call__(self, *operands, **static) -> Any:
        """Apply to Values, giving a Value, or to plain arrays, giving an array."""
        return apply_array_op(self, operands, static)

    def vjp(self, i: int, m: "ArrayMathematics", g, y, operands: Sequence, static: dict[str, object]) -> Any:
        """Return what operand `i` receives."""
        if self.each_vjp is not None:
            return self.each_vjp(m, i, g, y, *operands, **static)
        return self.vjps[i](m, g, y, *operands, **static)

    def contributions(
        self, m: "ArrayMathematics", g, y, operands: Sequence, static: dict[str, object], wanted: Sequence[int]
    ) -> list:
        """Return what the `wanted` operands receive."""
        if self.fast_vjps is not None and m is NUMPY:
            found = self.fast_vjps(g, y, *operands, **static)
            if found is not None:
                return [found[i] for i in wanted]
        return [self.vjp(i, m, g, y, operands, static) for i in wanted]

    def __repr__(self) -> str:
        return f"<array op {self.name}>"

    def __reduce__(self):
        from adjoint.arrays.copying import reduce_array_op  # copying needs this class

        return reduce_array_op(self)

    def __copy__(self) -> "ArrayOp":
        return self

    def __deepcopy__(self, memo) -> "ArrayOp":
        return self


ARRAY_OPS: dict[str, ArrayOp] = {}


def array_op(
    name: str,
    forward: Callable,
    *vjps: Callable,
    each_vjp: Callable | None = None,
    jvp: Callable | None = None,
    linear: str = "",
    reads: str = "",
    view: bool = False,
    wide: bool = False,
    keeps_integers: bool = False,
) -> ArrayOp:
    """Make an operation on whole arrays and enter it into the table; see `ArrayOp`.

    A `wide` operation computes in float32 where its operands are float16 or bfloat16, whose sums and squares would
    overflow or lose digits; the results are rounded once, at the end.

    With the native core, the operations in the table of `fast_operations.py` compute NumPy arrays there.
    """
    if wide:
        forward, vjps, jvp = _wide_forward(forward), tuple(map(_wide_vjp, vjps)), jvp and _wide_jvp(jvp)
        each_vjp = each_vjp and _wide_each_vjp(each_vjp)
    fast_forward, fast_vjps = FAST.get(name, (None, None))
    if fast_forward:
        forward = _with_fast_path(forward, fast_forward)
    made = ArrayOp(name, forward, vjps, each_vjp, jvp, linear, reads, view, fast_vjps, keeps_integers)
    ARRAY_OPS[name], made.lasting = made, True
    return made


def _with_fast_path(forward: Callable, fast_forward: Callable) -> Callable:
    @wraps(forward)  # its module too, which pickle imports to find the operation
    def rule(m, *xs, **static):
        y = fast_forward(*xs, **static) if m is NUMPY else None
        return forward(m, *xs, **static) if y is None else y

    return rule


def _wide_forward(forward: Callable) -> Callable:
    def rule(m, *xs, **static):
        if not is_half(xs[0]):
            return forward(m, *xs, **static)
        return m.astype(forward(m, *[m.astype_float32(x) for x in xs], **static), xs[0].dtype)

    return rule


def _wide_vjp(vjp: Callable) -> Callable:
    def rule(m, g, y, *xs, **static):
        if not is_half(xs[0]):
            return vjp(m, g, y, *xs, **static)
        return vjp(m, *[m.astype_float32(x) for x in (g, y, *xs)], **static)  # un-broadcasting restores the dtype

    return rule


def _wide_each_vjp(each_vjp: Callable) -> Callable:
    def rule(m, i, g, y, *xs, **static):
        if is_half(xs[0]):
            g, y, *xs = [m.astype_float32(x) for x in (g, y, *xs)]
        return each_vjp(m, i, g, y, *xs, **static)

    return rule


def _wide_jvp(jvp: Callable) -> Callable:
    def rule(m, ts, y, *xs, **static):
        if not is_half(xs[0]):
            return jvp(m, ts, y, *xs, **static)
        ts = [t if t is None else m.astype_float32(t) for t in ts]
        return m.astype(jvp(m, ts, *[m.astype_float32(x) for x in (y, *xs)], **static), xs[0].dtype)

    return rule


# --- several results -------------------------------------------------------------------------------


class Bundle(tuple):
    """The gradients of several results; None for a result that received nothing. They add up part by part."""

    __slots__ = ()

    def __add__(self, other):
        return Bundle(
            b if a is None else a if b is None else a + b for a, b in zip(tuple(self), tuple(other), strict=True)
        )


def pick(bundle, k: int) -> Any:
    """Return part `k` of an operation with several results, with its gradient."""
    return _pick(bundle, k=k) if isinstance(bundle, Value) else bundle[k]


_pick = array_op(
    "part",
    lambda m, x, k: x[k],
    lambda m, g, y, x, k: Bundle(g if i == k else None for i in range(len(data_of(x)))),
    jvp=lambda m, ts, y, x, k: ts[0][k],
)
