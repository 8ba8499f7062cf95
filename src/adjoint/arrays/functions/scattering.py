"""Gather and scatter along one axis, with the semantics of PyTorch.

An index has as many axes as the array. It may be smaller than the array along the other axes, and then selects from the
part of the array that starts at the first element.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.axes import either_axis, one_axis, shape_of
from adjoint.arrays.backends import NUMPY, Backend, are_integers, backend_of, common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import indexing, reductions
from adjoint.arrays.functions.indexing import count_along, getitem, where
from adjoint.arrays.functions.shaping import concat, expand_dims, flatten, reshape
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ArrayIndexError, ShapeError
from adjoint.errors.given import describe, is_number

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor
    from adjoint.engine.mathematics.protocol import Array


def gather(x, axis: int | None = None, index=None, *, dim: int | None = None) -> "Tensor":
    """Return the elements of `x` at the indices along an axis; the result has the shape of the index.

    >>> from adjoint import Value, gather
    >>> gather(Value([[1.0, 2.0], [3.0, 4.0]]), 1, [[1], [0]]).data
    array([[2.],
           [3.]])
    """
    x, axis, index, sizes = _checked(x, either_axis("gather", axis, dim), index, "gather")
    return reshape(getitem(x, _grid(x, axis, index)), sizes)


def scatter(x, axis: int | None = None, index=None, src=None, *, dim: int | None = None) -> "Tensor":
    """Return `x` with the elements of `src` at the indices along an axis; the last one, where an index occurs twice.

    `src` is an array at least as large as the index, or a number. Elements that another one replaces receive the
    gradient zero.

    >>> from adjoint import Value, scatter
    >>> scatter(Value([1.0, 2.0, 3.0]), 0, [2, 0], Value([10.0, 20.0])).data
    array([20.,  2., 10.])
    """
    x = as_operand(x)
    given = shape_of(x)
    x, axis, index, _ = _checked(x, either_axis("scatter", axis, dim), index, "scatter")
    src = _source(src, x, index, "scatter")
    m, places = _places(x, axis, index)
    count = math.prod(shape_of(index))
    if not count:
        return reshape(ops.add(x, reductions.sum(src)), given)  # nothing is added, but the result depends on both
    order = m.arange(count, data_of(x)) + 1
    last = m.largest_at(math.prod(shape_of(x)), places, order)
    chosen = getitem(flatten(src), m.xp.reshape(m.xp.where(last > 0, last - 1, 0 * last), shape_of(x)))
    return reshape(where(m.xp.reshape(last > 0, shape_of(x)), chosen, x), given)


def scatter_add(x, axis: int | None = None, index=None, src=None, *, dim: int | None = None) -> "Tensor":
    """Return `x` with the elements of `src` added at the indices along an axis; indices that occur twice add up.

    >>> from adjoint import Value, scatter_add
    >>> scatter_add(Value([1.0, 2.0]), 0, [0, 0, 1], [10.0, 20.0, 30.0]).data
    array([31., 32.])
    """
    x = as_operand(x)
    given = shape_of(x)
    x, axis, index, _ = _checked(x, either_axis("scatter_add", axis, dim), index, "scatter_add")
    found = indexing.scatter_add(x, _grid(x, axis, index), _source(src, x, index, "scatter_add"))
    return reshape(found, given)


# How the elements that meet at a place are combined, and the number that changes nothing.
_COMBINATIONS = {
    "prod": (reductions.prod, 1.0),
    "amax": (reductions.max, -math.inf),
    "amin": (reductions.min, math.inf),
}
_KINDS = ("sum", "mean", *_COMBINATIONS)


def scatter_reduce(
    x,
    axis: int | None = None,
    index=None,
    src=None,
    reduce: str = "",
    include_self: bool = True,
    *,
    dim: int | None = None,
) -> "Tensor":
    """Return `x` with the elements of `src` combined at the indices along an axis.

    `reduce` is "sum", "mean", "prod", "amax" or "amin". The element of `x` at a place takes part if `include_self`
    holds. Places that no index names keep their element. Equal extremes share the gradient. Products and extremes need
    memory for the size of `x` times the largest number of elements that meet at one place.

    >>> from adjoint import Value, scatter_reduce
    >>> scatter_reduce(Value([1.0, 2.0]), 0, [0, 0], [5.0, 7.0], "mean", include_self=False).data
    array([6., 2.])
    """
    if reduce not in _KINDS:
        raise ArgumentError(f"scatter_reduce: reduce must be one of {', '.join(_KINDS)}, not {describe(reduce)}")
    x = as_operand(x)
    given = shape_of(x)
    x, axis, index, _ = _checked(x, either_axis("scatter_reduce", axis, dim), index, "scatter_reduce")
    src = flatten(_source(src, x, index, "scatter_reduce"))
    m, places = _places(x, axis, index)
    if not math.prod(shape_of(index)):
        return reshape(ops.add(x, reductions.sum(src)), given)
    own = flatten(x)
    size = math.prod(shape_of(x))
    counts = m.counts_at(size, places)
    if reduce in ("sum", "mean"):
        found = indexing.scatter_add(own if include_self else where(counts > 0, 0, own), places, src)
        if reduce == "mean":
            total = counts + 1 if include_self else m.xp.where(counts > 0, counts, counts + 1)
            found = found / m.astype(total, data_of(found).dtype)
        return reshape(where(counts > 0, found, own), given)
    combine, neutral = _COMBINATIONS[reduce]
    table = m.rank_table(size, places, shape_of(index)[axis])
    # at each place of x, the elements that meet there; what is missing to the largest number of them is neutral
    met = getitem(concat([src, _filled(m, neutral, src)]), table)
    if include_self:
        met = concat([expand_dims(own, -1), met], -1)
    return reshape(where(counts > 0, combine(met, -1), own), given)


# --- indices ---------------------------------------------------------------------------------------


def _checked(x, axis, index, who: str) -> "tuple[Any, int, Array, tuple[int, ...]]":
    """Return the array, the axis counted from the front, the index as an array of integers, and the shape it had.

    Numbers become arrays with one axis, and an index without elements gets the axes of the array.
    """
    x = as_operand(x)
    x = x if shape_of(x) else flatten(x)
    shape = shape_of(x)
    axis = one_axis(axis, len(shape), who)
    if isinstance(index, Value):
        raise ArrayIndexError(f"{who}: a Value cannot be an index: {index!r}; use integers")
    if isinstance(index, (int, list, tuple)):
        index = np.asarray(index, dtype=None if np.size(index) else int)
    if not any(kind in str(getattr(index, "dtype", "")) for kind in ("int", "long")):
        raise ArrayIndexError(f"{who} needs an array of integers as its index, not {describe(index)}")
    given = sizes = shape_of(index)
    if len(sizes) != len(shape) and (0 in sizes or (len(shape) == 1 and not sizes)):
        sizes = (math.prod(sizes),) + (1,) * (len(shape) - 1)
        index = index.reshape(sizes)
    if len(sizes) != len(shape):
        raise ShapeError(
            f"{who}: an index of shape {sizes} must have the same number of axes as the array of shape {shape}"
        )
    if any(a > b for i, (a, b) in enumerate(zip(sizes, shape)) if i != axis):
        raise ShapeError(
            f"{who}: an index of shape {sizes} must not be larger than the array of shape {shape}, except along axis "
            f"{axis}"
        )
    return x, axis, index, given


def _source(src, x, index, who: str) -> Value:
    """Return the part of `src` that the index uses; a number is repeated, in the dtype of `x`."""
    sizes = shape_of(index)
    src = as_operand(src)
    if is_number(src) or (isinstance(src, Value) and not shape_of(src)):
        data = data_of(x)
        return ops.mul(common_backend([data], who).zeros(sizes, data) + 1.0, src)
    shape = shape_of(src)
    if len(shape) != len(sizes) or any(a > b for a, b in zip(sizes, shape)):
        raise ShapeError(f"{who}: src of shape {shape} must be at least as large as the index of shape {sizes}")
    return src if shape == sizes else getitem(src, tuple(slice(size) for size in sizes))


def _grid(x, axis: int, index) -> tuple:
    """Return the index of the same elements for each axis."""
    data, sizes = data_of(x), shape_of(index)
    m = common_backend([data], "an index")
    return tuple(index if i == axis else count_along(m, sizes, i, data) for i in range(len(sizes)))


def _places(x, axis: int, index) -> "tuple[Backend, Array]":
    """Return the backend, and the position of each index in the flattened array."""
    data, shape = data_of(x), shape_of(x)
    m = backend_of(data) or NUMPY
    if m is NUMPY:  # a plain array is a constant next to indices of a compiled function
        m = common_backend([index], "an index")
    index = index if m.owns(index) else m.from_numpy(np.asarray(index))
    size = shape[axis]
    if not m.is_traced(index) and not bool(((index >= -size) & (index < size)).all()):
        raise ArrayIndexError(f"an index is out of range for axis {axis} of size {size}: {describe(index)}")
    places = 0
    for i, entry in enumerate(_grid(x, axis, index)):
        entry = m.xp.where(entry < 0, entry + size, entry) if i == axis else entry
        places = places * shape[i] + entry
    return m, m.xp.reshape(places, (-1,))


def _filled(m: Backend, value: float, like):
    """Return one number as an array of one element."""
    data = data_of(like)
    if are_integers([data]):
        limits = (0, 1) if "bool" in str(data.dtype) else (m.xp.iinfo(data.dtype).min, m.xp.iinfo(data.dtype).max)
        value = min(max(value, limits[0]), limits[1])
    return m.xp.full((1,), value, dtype=data.dtype)
