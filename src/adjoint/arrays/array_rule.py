"""What a rule of whole arrays is: how to compute an operation, and the vector-Jacobian product of each operand."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any


class ArrayOp:
    """An operation on whole arrays: how to compute it, and what its gradient is for each operand.

    `forward(m, *operands, **static)` computes it. `vjps` holds, for each operand, the vector-Jacobian product
    `vjp(m, g, y, *operands, **static)`: what an operand receives when the result `y` has the gradient `g`. They
    are written in `m`, so that, read with Values, they can be differentiated again. What is static (an axis, a
    shape, an index) has no gradient.

    Forward mode needs no further rule for an operation that is linear: in all operands together (`"jointly"`: the
    tangent of the result is the operation on the tangents), or in each of them while the others stand still
    (`"each"`: it is a sum with one operand at a time replaced). Any other has a rule of its own,
    `jvp(m, tangents, y, *operands, **static)`, where the tangent of a constant is None.

    `reads` says whose numbers the derivatives use, beyond shapes: "x" for the operands, "y" for the result.
    `view` says that the result may share its memory with the first operand.
    """

    __slots__ = ("__weakref__", "each_vjp", "forward", "jvp", "linear", "name", "reads", "view", "vjps")
    apply: Any = None

    def __init__(self, name, forward, vjps, each_vjp, jvp, linear, reads, view):
        self.name, self.forward, self.vjps, self.each_vjp = name, forward, vjps, each_vjp
        self.jvp, self.linear, self.reads, self.view = jvp, linear, reads, view

    def __call__(self, *operands, **static) -> Any:
        """Apply to Values, giving a Value, or to plain arrays, giving an array."""
        if self.apply is None:
            import_module("adjoint.arrays.tensor")  # only for those who use arrays: it sets `apply`
        apply: Any = self.apply
        return apply(self, operands, static)

    def vjp(self, i: int, m, g, y, operands: Sequence, static: dict) -> Any:
        """Return what operand `i` receives."""
        if self.each_vjp is not None:
            return self.each_vjp(m, i, g, y, *operands, **static)
        return self.vjps[i](m, g, y, *operands, **static)

    def contributions(self, m, g, y, operands: Sequence, static: dict, wanted: Sequence[int]) -> list:
        """Return what the `wanted` operands receive."""
        return [self.vjp(i, m, g, y, operands, static) for i in wanted]

    def __repr__(self) -> str:
        return f"<array op {self.name}>"

    def __reduce__(self):
        from adjoint.arrays.copying import reduce_array_op

        return reduce_array_op(self)

    def __copy__(self) -> "ArrayOp":
        return self

    def __deepcopy__(self, memo) -> "ArrayOp":
        return self


ARRAY_OPS: dict[str, ArrayOp] = {}


def back_of_array(g, node) -> Sequence:
    """Return what the operands of an array operation receive, where the native core leaves it to Python."""
    from adjoint.arrays.tensor import array_back

    return array_back(g, node)


def array_op(
    name: str,
    forward: Callable,
    *vjps: Callable,
    each_vjp: Callable | None = None,
    jvp: Callable | None = None,
    linear: str = "",
    reads: str = "",
    view: bool = False,
) -> ArrayOp:
    """Make an operation on whole arrays and enter it into the table; see `ArrayOp`."""
    made = ArrayOp(name, forward, vjps, each_vjp, jvp, linear, reads, view)
    ARRAY_OPS[name] = made
    return made
