"""Axes and shapes as users pass them, checked and normalized."""

import math
import operator
from collections.abc import Sequence
from typing import Any

from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe

Axis = int | tuple[int, ...] | None
_MOST_AXES = 64  # as many as NumPy has
_MOST_ELEMENTS = 2**40  # terabytes: a mistake, which would otherwise run until the memory is used up
_ALL = tuple(tuple(range(ndim)) for ndim in range(8))


def one_axis(axis, ndim: int, who: str) -> int:
    """Return an axis counted from the front.

    >>> one_axis(-1, 3, "sum")
    2
    """
    try:
        found = operator.index(axis)
    except TypeError:
        raise ShapeError(f"{who}: axis must be an integer, not {describe(axis)}") from None
    if not -ndim <= found < ndim:
        has = f"axes 0 to {ndim - 1}" if ndim > 1 else "only axis 0" if ndim else "no axes: it is a single number"
        shown = found if abs(found) < 10**9 else describe(found)
        raise ShapeError(f"{who}: axis {shown} does not exist; the array has {has}")
    return found % ndim


def all_axes(axis: "int | Sequence[int] | None", ndim: int, who: str) -> tuple[int, ...]:
    """Return the axes as a tuple counted from the front; None means all of them."""
    if axis is None:
        return _ALL[ndim] if ndim < len(_ALL) else tuple(range(ndim))
    if type(axis) is int and 0 <= axis < ndim:
        return (axis,)
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    if not ndim and len(given) == 1 and getattr(given[0], "ndim", 0) == 0 and given[0] in (0, -1):
        return ()  # a number counts as an array with one axis here, as in NumPy and PyTorch
    axes = tuple(one_axis(a, ndim, who) for a in given)
    if len(set(axes)) < len(axes):
        raise ShapeError(f"{who}: axis {axis!r} contains the same axis twice")
    return axes


def either(who: str, name: str, given: Any, other_name: str, other: Any, default: Any = None) -> Any:
    """Return an argument that has two names, such as `axis` and PyTorch's `dim`; giving both is an error.

    >>> either("sum", "axis", None, "dim", 1)
    1
    """
    if other is None:
        return given
    if given is not default and given != default:
        raise ArgumentError(f"{who}: {other_name} is another name for {name}; give one of them")
    return other


def either_axis(who: str, axis: Any, dim: Any, default: Any = None) -> Any:
    """Return the axis, given as `axis` or, as in PyTorch, as `dim`."""
    return either(who, "axis", axis, "dim", dim, default)


def either_keepdims(who: str, keepdims: bool, keepdim: bool | None) -> bool:
    """Return whether reduced axes stay, given as `keepdims` or, as in PyTorch, as `keepdim`."""
    return either(who, "keepdims", keepdims, "keepdim", keepdim, False)


def keepdims_shape(shape: Sequence[int], axes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of a reduction with `keepdims`: the reduced axes have size 1."""
    return tuple(1 if i in axes else size for i, size in enumerate(shape))


def as_shape(shape: Any, who: str) -> tuple[int, ...]:
    """Return a shape given as one number or as several.

    >>> as_shape(3, "reshape"), as_shape([2, -1], "reshape")
    ((3,), (2, -1))
    """
    try:
        found = (operator.index(shape),) if hasattr(shape, "__index__") else tuple(map(operator.index, shape))
    except TypeError:
        raise ShapeError(f"{who}: the sizes of a shape must be integers, not {describe(shape)}") from None
    if len(found) > _MOST_AXES or any(abs(size) >= 2**63 for size in found):
        raise ShapeError(
            f"{who}: an array has at most {_MOST_AXES} axes, and their sizes fit into 64 bits; given was "
            f"{describe(shape)}"
        )
    return found


def require_size(shape: Sequence[int], who: str) -> None:
    """Raise an error for the shape of a result that no memory holds, before anything is computed."""
    if math.prod(shape) > _MOST_ELEMENTS:
        raise ShapeError(f"{who}: a result of shape {tuple(shape)} is too large; use smaller sizes")


def name_of(value: Value) -> str:
    """Return a Value as messages name it: by its label, or else by its shape."""
    return repr(value.label) if value.label else f"a Value of shape {shape_of(value)}"


def shape_of(x: Any) -> tuple[int, ...]:
    """Return the shape of an array, a Value or a number, which has none."""
    try:
        return x._data.shape  # a Tensor's, or an AttributeError
    except AttributeError:
        return tuple(getattr(x, "shape", ()))


def common_shape(xs: Sequence, who: str) -> tuple[int, ...]:
    """Return the shape that arrays, Values and numbers broadcast to."""
    import numpy as np

    shapes = [shape_of(x) for x in xs]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        *first, last = map(str, shapes)
        raise ShapeError(f"{who}: the shapes {', '.join(first)} and {last} do not broadcast") from None
