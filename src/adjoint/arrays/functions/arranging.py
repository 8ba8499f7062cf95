"""Arranging elements: turns, windows, insertions and grids, written with the functions of `shaping` and `indexing`."""

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.axes import all_axes, as_shape, common_shape, either, either_axis, one_axis, shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import data_of
from adjoint.arrays.functions.indexing import take
from adjoint.arrays.functions.shaping import (
    along,
    astype,
    broadcast_to,
    concat,
    expand_dims,
    flatten,
    flip,
    moveaxis,
    pad_constant,
    permute_dims,
    reshape,
)
from adjoint.arrays.functions.stacking import as_stacked, broadcast_arrays
from adjoint.arrays.kinds import numpy_dtype, require_device
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ArrayIndexError, ShapeError
from adjoint.errors.given import describe, is_array, is_number, whole

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def ravel(x) -> "Tensor":
    """Return the elements as one axis. Nested lists may contain Values.

    >>> from adjoint import Value, ravel
    >>> a, b = Value(1.0), Value(2.0)
    >>> ravel([[a, b], [b, 0.0]]).data
    array([1., 2., 2., 0.])
    """
    return flatten(as_stacked(x))


def unflatten(x, axis: int | None = None, sizes=(), *, dim: int | None = None) -> "Tensor":
    """Return the array with one axis replaced by several of these sizes; one of them may be -1.

    >>> from adjoint import Value, unflatten
    >>> unflatten(Value([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 0, (2, -1)).shape
    (2, 3)
    """
    x = as_stacked(x)
    shape, new = shape_of(x), as_shape(sizes, "unflatten")
    i = one_axis(either_axis("unflatten", axis, dim), len(shape), "unflatten")
    known = math.prod(size for size in new if size != -1)
    if new.count(-1) == 1 and known and shape[i] % known == 0:
        new = tuple(shape[i] // known if size == -1 else size for size in new)
    if not new or min(new) < 0 or math.prod(new) != shape[i]:
        raise ShapeError(f"unflatten: an axis of size {shape[i]} cannot become axes of the sizes {describe(sizes)}")
    return reshape(x, (*shape[:i], *new, *shape[i + 1 :]))


# --- turns --------------------------------------------------------------------------------------------------------


def flipud(x) -> "Tensor":
    """Return the array with its first axis in reverse order.

    >>> from adjoint import Value, flipud
    >>> flipud(Value([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[3.0, 4.0], [1.0, 2.0]]
    """
    x = as_stacked(x)
    return flip(x, one_axis(0, len(shape_of(x)), "flipud"))  # a number has no axis to turn, as in NumPy and PyTorch


def fliplr(x) -> "Tensor":
    """Return the array with its second axis in reverse order.

    >>> from adjoint import Value, fliplr
    >>> fliplr(Value([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[2.0, 1.0], [4.0, 3.0]]
    """
    return flip(as_stacked(x), 1)


def rot90(x, k: int = 1, axes: tuple[int, int] = (0, 1), *, dims: Sequence[int] | None = None) -> "Tensor":
    """Return the array turned `k` times by 90 degrees, from the first of two axes, PyTorch's `dims`, to the second.

    >>> from adjoint import Value, rot90
    >>> rot90(Value([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[2.0, 4.0], [1.0, 3.0]]
    """
    x, axes = as_stacked(x), either("rot90", "axes", axes, "dims", dims, (0, 1))
    plane = all_axes(axes, len(shape_of(x)), "rot90")
    if len(plane) != 2:
        raise ShapeError(f"rot90: axes must be two axes, not {describe(axes)}")
    turns, order = _integer(k, "rot90: k") % 4, list(range(len(shape_of(x))))
    order[plane[0]], order[plane[1]] = plane[1], plane[0]
    if turns == 0:
        return reshape(x, shape_of(x))
    if turns == 1:
        return permute_dims(flip(x, plane[1]), order)
    return flip(x, plane) if turns == 2 else flip(permute_dims(x, order), plane[1])


def rollaxis(x, axis: int, start: int = 0) -> "Tensor":
    """Return the array with an axis moved in front of the axis at `start`. `moveaxis` is easier to read.

    >>> import numpy as np
    >>> from adjoint import Value, rollaxis
    >>> rollaxis(Value(np.zeros((2, 3, 4))), 2).shape
    (4, 2, 3)
    """
    x = as_stacked(x)
    ndim = len(shape_of(x))
    i, place = one_axis(axis, ndim, "rollaxis"), _integer(start, "rollaxis: start")
    if not -ndim <= place <= ndim:
        raise ShapeError(f"rollaxis: start must be from {-ndim} to {ndim}, not {start}")
    place += ndim if place < 0 else 0
    return moveaxis(x, i, place - 1 if i < place else place)


def _integer(x, what: str) -> int:
    if not hasattr(x, "__index__"):
        raise ArgumentError(f"{what} must be an integer, not {describe(x)}")
    return operator.index(x)


# --- windows --------------------------------------------------------------------------------------------------------


def unfold(x, axis: int, size: int, step: int = 1) -> "Tensor":
    """Return all windows of `size` elements along an axis, each `step` elements after the one before.

    The axis counts the windows; the elements of a window are the last axis, as in PyTorch's `Tensor.unfold`.

    >>> from adjoint import Value, unfold
    >>> unfold(Value([1.0, 2.0, 3.0, 4.0]), 0, 2).data
    array([[1., 2.],
           [2., 3.],
           [3., 4.]])
    """
    x = as_stacked(x)
    if not shape_of(x):
        return unfold(flatten(x), axis, size, step)[0]  # a number counts as one element, and has no axis of windows
    i = one_axis(axis, len(shape_of(x)), "unfold")
    size, step, length = whole(size, "unfold: size", 0), whole(step, "unfold: step"), shape_of(x)[i]
    if size > length:
        raise ShapeError(f"unfold: a window of {size} elements is longer than the axis, which has size {length}")
    windows = np.arange(0, length - size + 1, step)[:, None] + np.arange(size)
    return moveaxis(take(x, windows, i), i + 1, -1)


def sliding_window_view(x, window_shape, axis=None) -> "Tensor":
    """Return all windows of an array along one axis or several, as axes at the end.

    As in NumPy, `window_shape` has one size for each of the axes; for all axes if none is named.

    >>> from adjoint import Value, sliding_window_view
    >>> x = Value([1.0, 2.0, 3.0])
    >>> y = sliding_window_view(x, 2)
    >>> y.sum().backward()
    >>> y.tolist(), x.grad
    ([[1.0, 2.0], [2.0, 3.0]], array([1., 2., 1.]))
    """
    x, sizes = as_stacked(x), as_shape(window_shape, "sliding_window_view")
    ndim = len(shape_of(x))
    axes = tuple(range(ndim)) if axis is None else as_shape(axis, "sliding_window_view")
    if len(sizes) != len(axes):
        raise ShapeError(f"sliding_window_view: got {len(sizes)} sizes for {len(axes)} axes; give one size per axis")
    for i, size in zip([one_axis(a, ndim, "sliding_window_view") for a in axes], sizes):
        x = unfold(x, i, size)
    return x if axes else reshape(x, shape_of(x))


# --- other sizes ------------------------------------------------------------------------------------------------


def resize(x, shape) -> "Tensor":
    """Return an array of another shape, filled with the elements in order, again from the start as often as needed.

    >>> from adjoint import Value, resize
    >>> resize(Value([1.0, 2.0]), (2, 3)).tolist()
    [[1.0, 2.0, 1.0], [2.0, 1.0, 2.0]]
    """
    x, new = flatten(as_stacked(x)), as_shape(shape, "resize")
    if any(size < 0 for size in new):
        raise ShapeError(f"resize: the sizes of a shape must be at least 0, not {new}")
    if not shape_of(x)[0]:
        return broadcast_to(reshape(pad_constant(x, ((0, 1),)), (1,) * len(new)), new)
    return reshape(take(x, np.arange(math.prod(new)) % shape_of(x)[0], 0), new)


def delete(x, index, axis: int | None = None) -> "Tensor":
    """Return the array without the slices at an index: an integer, a slice, or a list or mask; flat without an axis.

    >>> from adjoint import Value, delete
    >>> x = Value([1.0, 2.0, 3.0])
    >>> y = delete(x, 1)
    >>> y.sum().backward()
    >>> y.data, x.grad
    (array([1., 3.]), array([1., 0., 1.]))
    """
    x, i = along(as_stacked(x), axis, "delete")
    return take(x, _change(np.delete, shape_of(x)[i], index, "delete"), i)


def insert(x, index, values, axis: int | None = None) -> "Tensor":
    """Return the array with `values` inserted before an index along an axis; flat without an axis.

    The index is an integer, a slice, or a list with one entry for each new slice; `values` broadcasts.

    >>> from adjoint import Value, insert
    >>> insert(Value([1.0, 3.0]), 1, 2.0).data
    array([1., 2., 3.])
    """
    x, i = along(as_stacked(x), axis, "insert")
    values, shape = as_stacked(values), list(shape_of(x))
    if isinstance(x, Value) and getattr(values, "dtype", None) != x.dtype:
        values = astype(values, x.dtype)  # as NumPy: the result has the dtype of the array
    if hasattr(index, "__index__"):
        values = reshape(values, (1,) * (len(shape) - len(shape_of(values))) + shape_of(values))
        values = moveaxis(values, 0, i)  # as NumPy: the first axis of the values counts the new slices
        count = shape_of(values)[i]
    else:
        count = len(_change(np.insert, shape[i], index, "insert", 0)) - shape[i]
    order = _change(np.insert, shape[i], index, "insert", shape[i] + np.arange(count))
    shape[i] = count
    return take(concat([x, broadcast_to(values, shape)], i), order, i)


def _change(change, size: int, index, who: str, *values) -> np.ndarray:
    """Return what NumPy's `insert` or `delete` does to the positions along an axis."""
    if isinstance(index, Value):
        raise ArrayIndexError(f"{who}: a Value cannot be an index: {describe(index)}; use integers, or a slice")
    try:
        return change(np.arange(size), index, *values)
    except (IndexError, ValueError, TypeError) as error:
        raise ArrayIndexError(f"{who}: {describe(index)} does not fit an axis of size {size}: {error}") from None


# --- grids ----------------------------------------------------------------------------------------------------------


def meshgrid(*arrays, indexing: str = "xy", sparse: bool = False) -> tuple["Tensor", ...]:
    """Return the coordinates of a grid, one array for each vector of coordinates.

    With `indexing="xy"` the first vector runs along the second axis, as in a plot; with "ij" along the first one. With
    `sparse` the arrays keep axes of size 1 and broadcast against each other. The arrays may be given as one list.

    >>> from adjoint import Value, meshgrid
    >>> x, y = meshgrid(Value([1.0, 2.0, 3.0]), [0.0, 1.0])
    >>> x.shape, y.shape
    ((2, 3), (2, 3))
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid: indexing must be 'xy' or 'ij', not {describe(indexing)}")
    if len(arrays) == 1 and isinstance(arrays[0], (list, tuple)) and any(map(is_array, arrays[0])):
        arrays = tuple(arrays[0])
    found = []
    for i, x in enumerate(arrays):
        place = 1 - i if indexing == "xy" and i < 2 <= len(arrays) else i
        found.append(reshape(as_stacked(x), (1,) * place + (-1,) + (1,) * (len(arrays) - 1 - place)))
    return tuple(found) if sparse else broadcast_arrays(*found)


def linspace(
    start, stop, num: int = 50, endpoint: bool = True, axis: int = 0, *, dtype: object = None, device: object = None
) -> Any:
    """Return `num` numbers at equal distances from `start` to `stop`, both of which have gradients.

    `start` and `stop` may be arrays, which broadcast; the numbers are then along `axis` of the result. In a `dtype` of
    integers they are rounded down, and a plain array without gradients.

    >>> from adjoint import Value, linspace
    >>> stop = Value(2.0)
    >>> linspace(0.0, stop, 3).sum().backward()
    >>> stop.grad
    1.5
    """
    start, stop, num = as_stacked(start), as_stacked(stop), whole(num, "linspace: num", 0)
    if is_number(start) and is_number(stop):
        start = np.float64(start)  # the result is an array of NumPy
    shape = common_shape([start, stop], "linspace")
    i = one_axis(axis, len(shape) + 1, "linspace")
    require_device("cpu", device, "linspace")
    return _in_dtype(moveaxis(_between(start, stop, num, endpoint, len(shape)), 0, i), dtype)


def _in_dtype(x, dtype: object) -> Any:
    """Return an array in a dtype, if one is given: a plain array for integers."""
    if dtype is None:
        return x
    m, dtype = common_backend([data_of(x)], "linspace"), numpy_dtype(dtype)
    return astype(x, dtype) if m.is_floating(m.as_dtype(dtype)) else m.astype(m.xp.floor(data_of(x)), m.as_dtype(dtype))


def _between(start, stop, num: int, endpoint: bool, ndim: int) -> "Tensor":
    """Return weighted means of `start` and `stop` along a new first axis. At both ends they are exact."""
    datas = [data_of(start), data_of(stop)]
    m = common_backend(datas, "linspace")
    dtype = next((x.dtype for x in datas if hasattr(x, "dtype") and m.is_floating(x.dtype)), None)
    weights = np.arange(num).reshape(-1, *(1,) * ndim) / max(num - bool(endpoint), 1)
    weights = m.from_numpy(weights)
    weights = weights if dtype is None else m.astype(weights, dtype)
    return ops.add(ops.mul(start, 1 - weights), ops.mul(stop, weights))


def logspace(
    start,
    stop,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    axis: int = 0,
    *,
    dtype: object = None,
    device: object = None,
) -> Any:
    """Return `base` to the power of numbers at equal distances from `start` to `stop`; see `linspace`.

    >>> from adjoint import Value, logspace
    >>> logspace(Value(0.0), 2.0, 3).data.round(6)
    array([  1.,  10., 100.])
    """
    return _in_dtype(ops.pow(base, linspace(start, stop, num, endpoint, axis, device=device)), dtype)


def geomspace(start, stop, num: int = 50, endpoint: bool = True, axis: int = 0) -> "Tensor":
    """Return `num` numbers with equal ratios from `start` to `stop`, which have the same sign and are not 0.

    >>> from adjoint import Value, geomspace
    >>> geomspace(Value(1.0), 8.0, 4).data.round(6)
    array([1., 2., 4., 8.])
    """
    start, stop = as_stacked(start), as_stacked(stop)
    common_shape([start, stop], "geomspace")
    m = common_backend([data_of(start), data_of(stop)], "geomspace")
    sign, other = (m.xp.sign(m.xp.asarray(data_of(x))) for x in (start, stop))
    if not (m.is_traced(sign) or m.is_traced(other)) and bool((sign * other <= 0).any()):
        raise ArgumentError("geomspace: start and stop must have the same sign and must not be 0")
    logarithms = linspace(ops.log(ops.abs(start)), ops.log(ops.abs(stop)), num, endpoint, axis)
    sign = m.astype(sign * (other * other), data_of(logarithms).dtype)  # both are equal; the product has their shape
    return ops.mul(expand_dims(sign, axis), ops.exp(logarithms))
