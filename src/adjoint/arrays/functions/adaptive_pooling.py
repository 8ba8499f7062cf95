"""Adaptive pooling: the size of the result is given, and the windows follow from it, as in PyTorch.

Window i of an axis with n elements begins at ⌊i n / size⌋ and ends before ⌈(i + 1) n / size⌉, so windows may differ in
length and overlap. Each axis is rearranged such that windows of one length lie side by side.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.axes import require_size, shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import indexing, reductions, shaping
from adjoint.arrays.functions.pooling import flat_indices, pool_maximum
from adjoint.arrays.functions.windows import Geometry, for_each_axis, require_axes, with_samples, without_samples
from adjoint.errors import ShapeError

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor

_MOST_WINDOWS = 10**9  # the places of their elements are listed
Size = int | None | Sequence[int | None]


def adaptive_avg_pool1d(x, output_size: Size) -> "Tensor":
    """Return the means of `output_size` windows of a sequence; see `adaptive_avg_pool2d`.

    >>> from adjoint import Value, adaptive_avg_pool1d
    >>> adaptive_avg_pool1d(Value([[1.0, 2.0, 3.0]]), 2).data
    array([[1.5, 2.5]])
    """
    return _adaptive_avg("adaptive_avg_pool1d", x, output_size)


def adaptive_avg_pool2d(x, output_size: Size) -> "Tensor":
    """Return the means of windows of an image, such that the result has the height and width `output_size`.

    `x` has the shape (samples, channels, height, width) or (channels, height, width). One size is for both axes; None
    keeps the size of an axis.

    >>> from adjoint import Value, adaptive_avg_pool2d
    >>> image = Value([[[1.0, 2.0, 5.0, 6.0], [3.0, 4.0, 7.0, 8.0]]])
    >>> adaptive_avg_pool2d(image, (1, 2)).data, adaptive_avg_pool2d(image, 1).data
    (array([[[2.5, 6.5]]]), array([[[4.5]]]))
    """
    return _adaptive_avg("adaptive_avg_pool2d", x, output_size)


def adaptive_avg_pool3d(x, output_size: Size) -> "Tensor":
    """Return the means of windows of a volume, such that the result has this size; see `adaptive_avg_pool2d`.

    >>> from adjoint import Value, adaptive_avg_pool3d
    >>> adaptive_avg_pool3d(Value([[[[1.0, 2.0], [3.0, 4.0]]]]), 1).data
    array([[[[2.5]]]])
    """
    return _adaptive_avg("adaptive_avg_pool3d", x, output_size)


def adaptive_max_pool1d(x, output_size: Size, return_indices: bool = False) -> Any:
    """Return the largest elements of `output_size` windows of a sequence; see `adaptive_max_pool2d`.

    >>> from adjoint import Value, adaptive_max_pool1d
    >>> adaptive_max_pool1d(Value([[1.0, 2.0, 3.0]]), 2).data
    array([[2., 3.]])
    """
    return _adaptive_max("adaptive_max_pool1d", x, output_size, return_indices)


def adaptive_max_pool2d(x, output_size: Size, return_indices: bool = False) -> Any:
    """Return the largest elements of windows of an image, such that the result has the height and width `output_size`.

    The arguments are those of `adaptive_avg_pool2d`. With `return_indices` the result is a pair, as in `max_pool2d`.

    >>> from adjoint import Value, adaptive_max_pool2d
    >>> image = Value([[[1.0, 2.0, 5.0, 6.0], [3.0, 4.0, 7.0, 8.0]]])
    >>> y, indices = adaptive_max_pool2d(image, (1, 2), return_indices=True)
    >>> y.data, indices
    (array([[[4., 8.]]]), array([[[5, 7]]]))
    """
    return _adaptive_max("adaptive_max_pool2d", x, output_size, return_indices)


def adaptive_max_pool3d(x, output_size: Size, return_indices: bool = False) -> Any:
    """Return the largest elements of windows of a volume, such that the result has this size.

    >>> from adjoint import Value, adaptive_max_pool3d
    >>> adaptive_max_pool3d(Value([[[[1.0, 2.0], [3.0, 4.0]]]]), 1).data
    array([[[[4.]]]])
    """
    return _adaptive_max("adaptive_max_pool3d", x, output_size, return_indices)


# --- means -----------------------------------------------------------------------------------------


def _adaptive_avg(who: str, x, output_size) -> "Tensor":
    x, sizes = _prepare(who, x, output_size)
    total, is_even = _window_sums(x, sizes)
    if is_even:
        return total
    data = data_of(total)
    ones = common_backend([data], who).zeros((1, *shape_of(x)[-len(sizes) :]), data) + 1
    return total / _window_sums(ones, sizes)[0]


def _window_sums(x, sizes: tuple[int, ...]) -> "tuple[Tensor, bool]":
    """Return the sum of each window and False; or the mean and True, if all windows of each axis are equal."""
    shape = shape_of(x)
    first = len(shape) - len(sizes)
    lengths, is_even = [], True
    for axis, size in enumerate(sizes, first):
        table, length = _table(shape[axis], size, repeats=False)
        lengths += [size, length]
        if table is not None:  # windows that are shorter than the others end with a zero
            is_even = False
            x = shaping.pad_constant(x, [(0, int(i == axis)) for i in range(len(shape))])
            x = indexing.take(x, table, axis)
    x = shaping.reshape(x, (*shape[:first], *lengths))
    axes = tuple(range(first + 1, first + 2 * len(sizes), 2))
    return (reductions.mean if is_even else reductions.sum)(x, axes), is_even


# --- maxima ----------------------------------------------------------------------------------------


def _adaptive_max(who: str, x, output_size, return_indices: bool) -> Any:
    x, sizes = _prepare(who, x, output_size)
    shape, ndim = shape_of(x), len(sizes)
    wide, is_single = with_samples(x, ndim)
    y = wide
    tables, lengths = zip(*(_table(n, size, repeats=True) for n, size in zip(shape[-ndim:], sizes)))
    for axis, table in enumerate(tables, 2):
        if table is not None:
            y = wide = indexing.take(wide, table, axis)
    for i in reversed(range(ndim)):  # a maximum along each axis; the last axis first, as the order of equal elements is
        if lengths[i] > 1:
            kernel = tuple(lengths[i] if k == i else 1 for k in range(ndim))
            y = pool_maximum(y, geometry=_side_by_side(shape_of(y)[2:], kernel))
    found = without_samples(y, is_single)
    if not return_indices:
        return found
    indices = _original(flat_indices(wide, data_of(y), _side_by_side(shape_of(wide)[2:], lengths)), wide, tables, shape)
    return found, indices[0] if is_single else indices


def _side_by_side(size: tuple[int, ...], kernel: tuple[int, ...]) -> Geometry:
    return Geometry(size, kernel, kernel, ((0, 0),) * len(size), (1,) * len(size))


def _original(indices, wide, tables: tuple, shape: tuple[int, ...]) -> Any:
    """Return indices into the rearranged array as indices into the input."""
    m = common_backend([data_of(wide)], "adaptive_max_pool")
    found, unit, ndim = 0, 1, len(tables)
    for i in reversed(range(ndim)):
        length = shape_of(wide)[2 + i]
        place, indices = indices % length, indices // length
        if tables[i] is not None:
            place = m.take(m.from_numpy(tables[i]), m.reshape(place, (-1,)), axis=0).reshape(place.shape)
        found, unit = found + unit * place, unit * shape[i - ndim]
    return found


# --- windows ---------------------------------------------------------------------------------------


def _prepare(who: str, x, output_size) -> "tuple[Tensor, tuple[int, ...]]":
    """Return the input as an operand, and the size of the result for each spatial axis."""
    x, ndim = as_operand(x), int(who[-2])
    shape = shape_of(x)
    require_axes(who, shape, ndim)
    if 0 in shape[-ndim:]:
        raise ShapeError(f"{who}: an input of shape {shape} has no elements to pool")
    given = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * ndim
    kept = [shape[i - len(given)] if size is None else size for i, size in enumerate(given)]
    sizes = for_each_axis(kept, ndim, who, "output_size", 1)
    require_size((*shape[:-ndim], *sizes), who)
    if max(sizes) > _MOST_WINDOWS:
        raise ShapeError(f"{who}: output_size {sizes} is too large; an axis has at most {_MOST_WINDOWS} windows")
    return x, sizes


@lru_cache(maxsize=256)
def _table(count: int, size: int, repeats: bool) -> tuple[np.ndarray | None, int]:
    """Return the elements of all windows of an axis, one window after the other, and the length of a window.

    A shorter window ends with its last element once more, or with element `count`, which does not exist. The table is
    None if it has every element once, in order.
    """
    if count % size == 0:
        return None, count // size
    starts = [i * count // size for i in range(size)]
    ends = [-(-(i + 1) * count // size) for i in range(size)]
    length = max(end - start for start, end in zip(starts, ends))
    return np.array(
        [
            start + k if start + k < end else end - 1 if repeats else count
            for start, end in zip(starts, ends)
            for k in range(length)
        ]
    ), length
