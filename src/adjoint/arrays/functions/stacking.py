"""Joining and splitting arrays: the functions of NumPy that are written with `concat`, `reshape` and slices."""

import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from adjoint.arrays.axes import common_shape, either_axis, one_axis, shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions.shaping import broadcast_to, concat, permute_dims, reshape, split, stack
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def as_stacked(x) -> "Tensor":
    """Return nested lists as an array; those that contain Values as a stack, with gradients."""
    if isinstance(x, (list, tuple)) and _has_values(x):
        return stack([as_stacked(part) for part in x])
    return as_operand(x)


def _has_values(x) -> bool:
    return any(map(_has_values, x)) if isinstance(x, (list, tuple)) else isinstance(x, Value)


def _arrays(arrays, who: str) -> list:
    if isinstance(arrays, (str, bytes)) or not isinstance(arrays, Iterable):
        raise ArgumentError(f"{who} needs a sequence of arrays, not {describe(arrays)}")
    found = [as_stacked(x) for x in arrays]
    if not found:
        raise ArgumentError(f"{who} needs at least one array")
    return found


# --- a least number of axes ------------------------------------------------------------------------------------


def atleast_1d(*arrays) -> "Tensor | tuple[Tensor, ...]":
    """Return the array, a number as an array of one element; a tuple for several arrays.

    >>> from adjoint import Value, atleast_1d
    >>> atleast_1d(Value(2.0)).shape
    (1,)
    """
    return _each(arrays, lambda shape: shape or (1,))


def atleast_2d(*arrays) -> "Tensor | tuple[Tensor, ...]":
    """Return the array with at least two axes: a vector becomes a row; a tuple for several arrays.

    >>> from adjoint import Value, atleast_2d
    >>> atleast_2d(Value([1.0, 2.0])).tolist()
    [[1.0, 2.0]]
    """
    return _each(arrays, lambda shape: (1,) * (2 - len(shape)) + shape)


def atleast_3d(*arrays) -> "Tensor | tuple[Tensor, ...]":
    """Return the array with at least three axes; a tuple for several arrays.

    As in NumPy, a vector of size n gets the shape (1, n, 1), and a matrix a last axis of size 1.

    >>> from adjoint import Value, atleast_3d
    >>> atleast_3d(Value([1.0, 2.0])).shape, atleast_3d(Value([[1.0, 2.0]])).shape
    ((1, 2, 1), (1, 2, 1))
    """
    return _each(arrays, lambda shape: ((1, 1, 1), (1, *shape, 1), (*shape, 1), shape)[min(len(shape), 3)])


def _each(arrays: tuple, new_shape):
    found = []
    for x in map(as_stacked, arrays):
        shape = shape_of(x)
        found.append(x if hasattr(x, "shape") and shape == new_shape(shape) else reshape(x, new_shape(shape)))
    return found[0] if len(found) == 1 else tuple(found)


def broadcast_arrays(*arrays) -> tuple["Tensor", ...]:
    """Return the arrays broadcast against each other, without copies.

    >>> from adjoint import Value, broadcast_arrays
    >>> [x.tolist() for x in broadcast_arrays(Value([1.0, 2.0]), [[3.0], [4.0]])]
    [[[1.0, 2.0], [1.0, 2.0]], [[3.0, 3.0], [4.0, 4.0]]]
    """
    xs = [as_stacked(x) for x in arrays]
    shape = common_shape(xs, "broadcast_arrays")
    return tuple(broadcast_to(x, shape) for x in xs)


# --- joining ------------------------------------------------------------------------------------------------------


def vstack(arrays: Sequence) -> "Tensor":
    """Return arrays joined along the first axis; vectors are rows.

    >>> from adjoint import Value, vstack
    >>> vstack([Value([1.0, 2.0]), [3.0, 4.0]]).shape
    (2, 2)
    """
    return concat([atleast_2d(x) for x in _arrays(arrays, "vstack")], 0)


def hstack(arrays: Sequence) -> "Tensor":
    """Return arrays joined along the second axis; vectors and numbers along their only axis.

    >>> from adjoint import Value, hstack
    >>> hstack([Value([1.0, 2.0]), 3.0]).data
    array([1., 2., 3.])
    """
    xs = [atleast_1d(x) for x in _arrays(arrays, "hstack")]
    return concat(xs, 0 if len(shape_of(xs[0])) == 1 else 1)


def dstack(arrays: Sequence) -> "Tensor":
    """Return arrays joined along the third axis, which matrices and vectors get first.

    >>> from adjoint import Value, dstack
    >>> dstack([Value([1.0, 2.0]), [3.0, 4.0]]).tolist()
    [[[1.0, 3.0], [2.0, 4.0]]]
    """
    return concat([atleast_3d(x) for x in _arrays(arrays, "dstack")], 2)


def column_stack(arrays: Sequence) -> "Tensor":
    """Return arrays joined along the second axis; vectors are columns.

    >>> from adjoint import Value, column_stack
    >>> column_stack([Value([1.0, 2.0]), [3.0, 4.0]]).tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """
    xs = _arrays(arrays, "column_stack")
    return concat([reshape(x, (-1, 1)) if len(shape_of(x)) < 2 else x for x in xs], 1)


def append(x, values, axis: int | None = None) -> "Tensor":
    """Return `values` joined to the end of `x` along an axis; both flattened if no axis is given.

    >>> from adjoint import Value, append
    >>> append(Value([1.0, 2.0]), [3.0]).data
    array([1., 2., 3.])
    """
    return concat([as_stacked(x), as_stacked(values)], axis)


def block(arrays) -> "Tensor":
    """Return an array made of blocks: the innermost lists are joined along the last axis, their lists along the one
    before it, and so on.

    >>> from adjoint import Value, block
    >>> a, b = Value([[1.0, 2.0]]), Value([[3.0]])
    >>> block([[a, b], [b, a]]).shape
    (2, 3)
    """
    depth = _depth(arrays)
    ndim = max([depth, *map(len, _block_shapes(arrays))])
    return _join_blocks(arrays, depth, ndim)


def _depth(arrays) -> int:
    """Return how deep the lists are nested, which must be the same everywhere."""
    if not isinstance(arrays, list):
        return 0
    depths = {_depth(part) for part in arrays}
    if not depths:
        raise ArgumentError("block: a list is empty; each list needs at least one block")
    if len(depths) > 1:
        raise ShapeError("block: the lists are nested to different depths")
    return depths.pop() + 1


def _block_shapes(arrays) -> list[tuple[int, ...]]:
    if not isinstance(arrays, list):
        return [shape_of(as_stacked(arrays))]
    return [shape for part in arrays for shape in _block_shapes(part)]


def _join_blocks(arrays, depth: int, ndim: int) -> "Tensor":
    if depth:
        return concat([_join_blocks(part, depth - 1, ndim) for part in arrays], -depth)
    x = as_stacked(arrays)
    return reshape(x, (1,) * (ndim - len(shape_of(x))) + shape_of(x))


# --- splitting ------------------------------------------------------------------------------------------------------


def array_split(x, sections, axis: int = 0) -> list["Tensor"]:
    """Split an array along an axis as `split` does, into sections that may differ by one in size.

    >>> from adjoint import Value, array_split
    >>> [part.tolist() for part in array_split(Value([1.0, 2.0, 3.0]), 2)]
    [[1.0, 2.0], [3.0]]
    """
    x = as_stacked(x)
    size = shape_of(x)[one_axis(axis, len(shape_of(x)), "array_split")]
    if not hasattr(sections, "__index__"):
        return split(x, sections, axis)
    if sections < 1:
        raise ShapeError(f"array_split: the number of sections must be at least 1, not {sections}")
    small, larger = divmod(size, operator.index(sections))
    return split(x, [k * small + min(k, larger) for k in range(1, sections)], axis)


def vsplit(x, sections) -> list["Tensor"]:
    """Split an array along its first axis; it needs at least two axes.

    >>> from adjoint import Value, vsplit
    >>> [part.tolist() for part in vsplit(Value([[1.0, 2.0], [3.0, 4.0]]), 2)]
    [[[1.0, 2.0]], [[3.0, 4.0]]]
    """
    return split(_with_axes(x, 2, "vsplit"), sections, 0)


def hsplit(x, sections) -> list["Tensor"]:
    """Split an array along its second axis, a vector along its only one.

    >>> from adjoint import Value, hsplit
    >>> [part.tolist() for part in hsplit(Value([[1.0, 2.0], [3.0, 4.0]]), 2)]
    [[[1.0], [3.0]], [[2.0], [4.0]]]
    """
    x = _with_axes(x, 1, "hsplit")
    return split(x, sections, 1 if len(shape_of(x)) > 1 else 0)


def dsplit(x, sections) -> list["Tensor"]:
    """Split an array along its third axis.

    >>> from adjoint import Value, dsplit
    >>> [part.tolist() for part in dsplit(Value([[[1.0, 2.0]]]), 2)]
    [[[[1.0]]], [[[2.0]]]]
    """
    return split(_with_axes(x, 3, "dsplit"), sections, 2)


def unstack(x, axis: int = 0, *, dim: int | None = None) -> tuple["Tensor", ...]:
    """Return the slices of an array along an axis, without that axis: the inverse of `stack`.

    >>> from adjoint import Value, unstack
    >>> first, second = unstack(Value([[1.0, 2.0], [3.0, 4.0]]), axis=1)
    >>> first.data, second.data
    (array([1., 3.]), array([2., 4.]))
    """
    x = as_stacked(x)
    i = one_axis(either_axis("unstack", axis, dim, 0), len(shape_of(x)), "unstack")
    return tuple(x[(slice(None),) * i + (k,)] for k in range(shape_of(x)[i]))


def _with_axes(x, count: int, who: str) -> "Tensor":
    x = as_stacked(x)
    if len(shape_of(x)) < count:
        least = f"{count} axes" if count > 1 else "one axis"
        raise ShapeError(f"{who} needs an array with at least {least}, not one of shape {shape_of(x)}")
    return x


# --- joining with brackets --------------------------------------------------------------------------------------


class Joiner:
    """`r_[a, 0.0, 1:3, b]` joins arrays, numbers and ranges along an axis, as NumPy's `r_` and `c_` do.

    The class has two instances, `r_` and `c_`.
    """

    def __init__(self, name: str, axis: int, least: int, place: int, doc: str):
        self._name, self._axis, self._least, self._place = name, axis, least, place
        self.__doc__ = doc

    def __getitem__(self, key) -> "Tensor":
        items = list(key) if isinstance(key, tuple) else [key]
        axis, least, place = self._axis, self._least, self._place
        if isinstance(items[0], str):
            axis, least, place = self._directive(items.pop(0))
        if not items:
            raise ArgumentError(f"{self._name}[…] needs at least one array")
        arrays = [self._range(item) if isinstance(item, slice) else as_stacked(item) for item in items]
        dtype = next((x.dtype for x in arrays if isinstance(x, Value) and x._is_array), None)
        m = common_backend([data_of(x) for x in arrays], self._name)
        arrays = [m.xp.asarray(x, dtype=dtype) if isinstance(x, (int, float)) else x for x in arrays]
        return concat([_with_least_axes(x, least, place) for x in arrays], axis)

    def _directive(self, text: str) -> tuple[int, int, int]:
        """Return what a first entry such as "0,2" says: the axis, the least number of axes, and the place of axes."""
        found = [self._axis, self._least, self._place]
        try:
            given = [int(part) for part in text.split(",")]
            found[: len(given)] = given
            axis, least, place = found
        except ValueError:
            raise ArgumentError(
                f"{self._name}: a first entry {text!r} must be 'axis', 'axis,ndim' or 'axis,ndim,place', as integers"
            ) from None
        return axis, least, place

    def _range(self, item: slice) -> np.ndarray:
        start, step = item.start or 0, 1 if item.step is None else item.step
        if any(isinstance(x, Value) for x in (start, item.stop, step)):
            raise ArgumentError(f"{self._name}: a range has plain numbers; use adjoint.linspace for a range of Values")
        if isinstance(step, complex):
            return np.linspace(start, item.stop, int(abs(step)))
        return np.arange(start, item.stop, step)


def _with_least_axes(x, least: int, place: int) -> "Tensor":
    """Return an array with at least `least` axes, its own ones at `place`; -1 is the end."""
    shape = shape_of(x)
    missing = least - len(shape)
    if missing <= 0:
        return x
    x = reshape(x, (1,) * missing + shape)
    if place == -1:
        return x
    first = place + missing + 1 if place < 0 else place
    axes = tuple(range(least))
    return permute_dims(x, axes[:first] + axes[missing:] + axes[first:missing])


r_ = Joiner(
    "r_",
    axis=0,
    least=1,
    place=-1,
    doc="""Join arrays, numbers and ranges along the first axis.

    >>> from adjoint import Value, r_
    >>> r_[Value([5.0, 6.0]), 0.0, 1:3].data
    array([5., 6., 0., 1., 2.])
    """,
)
c_ = Joiner(
    "c_",
    axis=-1,
    least=2,
    place=0,
    doc="""Join arrays along the last axis; vectors are columns.

    >>> from adjoint import Value, c_
    >>> c_[Value([1.0, 2.0]), [3.0, 4.0]].tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """,
)
