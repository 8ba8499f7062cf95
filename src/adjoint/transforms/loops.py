"""`scan`: a loop that carries a state and collects its outputs, with gradients; and `stop_gradient`."""

from collections.abc import Callable
from typing import Any

from adjoint.arrays.axes import shape_of
from adjoint.arrays.functions.shaping import stack
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, whole
from adjoint.transforms.trees import same_structure, tree_leaves, tree_map


def stop_gradient(x: Any) -> Any:
    """Return the same numbers without a gradient: `v.detach()`, for a Value or for all Values of a pytree.

    >>> from adjoint import grad, stop_gradient
    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    return tree_map(_as_constant, x)


def _as_constant(x: object) -> object:
    if not isinstance(x, Value):
        return x
    leaf = x.detach()
    leaf._constant = True  # a transform does not count it among the variables around a function
    return leaf


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """Run `carry, y = f(carry, x)` for each slice `x` of `xs` along its first axis; return the last carry and all y.

    `xs`, the carry and `y` are arrays, Values or pytrees of them; the outputs are stacked along a new first axis.
    Without `xs`, `length` says how often `f` runs, with `x` None. With `reverse`, the loop runs from the last slice to
    the first. As in JAX, but the loop is Python's: `jit` unrolls it.

    >>> from adjoint import Value, scan
    >>> x = Value([1.0, 2.0, 3.0])
    >>> last, partial_sums = scan(lambda total, x: (total + x, total + x), 0.0, x)
    >>> partial_sums.data
    array([1., 3., 6.])
    >>> last.backward()
    >>> x.grad
    array([1., 1., 1.])
    """
    count = _length(xs, length)
    carry, outputs = init, []
    for i in reversed(range(count)) if reverse else range(count):
        found = f(carry, tree_map(lambda leaf, i=i: leaf[i], xs))
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise ArgumentError(f"scan: the function must return a pair (carry, y), not {describe(found)}")
        new, y = found
        if not same_structure(carry, new):
            raise ArgumentError(f"scan: the carry must keep its structure; {describe(carry)} became {describe(new)}")
        carry = new
        outputs.append(y)
    if reverse:
        outputs.reverse()
    return carry, tree_map(lambda *leaves: stack(leaves), outputs[0], *outputs[1:])


def _length(xs: Any, length: int | None) -> int:
    sizes = set()
    for leaf in tree_leaves(xs):
        if not shape_of(leaf):
            raise ShapeError(f"scan: xs needs arrays with a first axis to run along, not {describe(leaf)}")
        sizes.add(shape_of(leaf)[0])
    if length is not None:
        sizes.add(whole(length, "scan: length"))
    if len(sizes) != 1:
        given = ", ".join(map(str, sorted(sizes))) or "none"
        raise ShapeError(f"scan needs one number of steps, from the first axes of xs or from length; given: {given}")
    (count,) = sizes
    if not count:
        raise ShapeError("scan needs at least one step, not arrays whose first axis is empty")
    return count
