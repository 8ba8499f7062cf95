"""Indexing: parts of an array, functional updates, and the selection of elements."""

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.apply import array_back, comparisons, make_leaf
from adjoint.arrays.array_rule import array_op
from adjoint.arrays.axes import either, either_axis, one_axis, shape_of
from adjoint.arrays.backends import (
    NUMPY,
    Backend,
    are_integers,
    as_base_array,
    axes_of,
    backend_of,
    check_later,
    common_backend,
    each_entry,
    require_real,
)
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import reductions
from adjoint.arrays.functions.casting import cast_operands
from adjoint.arrays.functions.shaping import along, as_matrices, flatten, moveaxis
from adjoint.engine import ops
from adjoint.engine.native import twin
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ArrayIndexError, ShapeError
from adjoint.errors.given import describe, is_number, is_traced, whole

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor
    from adjoint.engine.mathematics.protocol import Array

_getitem = array_op(
    "getitem",
    lambda m, x, index: m.getitem(x, index),
    lambda m, g, y, x, index: m.scatter(x, index, g),
    linear="jointly",
    view=True,
    keeps_integers=True,
)
_index_add = array_op(
    "at_add",
    lambda m, x, v, index: m.scatter_add(x, index, v),
    lambda m, g, y, x, v, index: g,
    lambda m, g, y, x, v, index: g[index],
    linear="jointly",
    keeps_integers=True,
)
_index_set = array_op(
    "at_set",
    lambda m, x, v, index: m.scatter_set(x, index, v),
    lambda m, g, y, x, v, index: m.scatter_set(g, index, 0.0),
    lambda m, g, y, x, v, index: g[index],
    linear="jointly",
    keeps_integers=True,
)
constant_row = array_op(  # the same table, of which one row is a constant
    "constant_row",
    lambda m, x, row: x,
    lambda m, g, y, x, row: m.scatter_set(g, row, 0.0),
    jvp=lambda m, ts, y, x, row: m.scatter_set(ts[0], row, 0.0),
    view=True,
    keeps_integers=True,
)
_where = array_op(
    "where",
    lambda m, x, z, condition: m.where(m.as_condition(condition), x, z),
    lambda m, g, y, x, z, condition: m.where(m.as_condition(condition), g, 0.0),
    lambda m, g, y, x, z, condition: m.where(m.as_condition(condition), 0.0, g),
    linear="jointly",
    keeps_integers=True,
)
_clip = array_op(
    "clip",
    lambda m, x, low, high, has_low, has_high: _limit(m, x, low if has_low else None, high if has_high else None),
    lambda m, g, y, x, low, high, has_low, has_high: m.where(_is_inside(m, x, low, high), g, 0.0),
    lambda m, g, y, x, low, high, has_low, has_high: m.where(_is_below(m, x, low, high, has_high), g, 0.0),
    lambda m, g, y, x, low, high, has_low, has_high: m.where(_is_above(m, x, low, high), g, 0.0),
    jvp=lambda m, ts, y, x, low, high, has_low, has_high: m.total(
        None if ts[0] is None else m.where(_is_inside(m, x, low, high), ts[0], 0.0),
        None if ts[1] is None else m.where(_is_below(m, x, low, high, has_high), ts[1], 0.0),
        None if ts[2] is None else m.where(_is_above(m, x, low, high), ts[2], 0.0),
    ),
    reads="x",
    keeps_integers=True,
)


def _limit(m, x, low, high):
    x = x if low is None else m.maximum(x, low)
    return x if high is None else m.minimum(x, high)


# An element at a bound counts as inside; bounds in the wrong order make everything the upper one. As in PyTorch.
# An upper bound that was not given is infinite, and a lower one that is infinite too has the gradient then.
def _is_inside(m, x, low, high):
    return (x >= low) & (x <= high)


def _is_below(m, x, low, high, has_high):
    return (x < low) & m.less(low, high) if has_high else x < low


def _is_above(m, x, low, high):
    return (x > high) | m.less(high, low)


_triangle = array_op(
    "triangle",
    lambda m, x, k, upper: m.where(m.triangle(x, k, upper), x, m.zeros_like(x)),
    lambda m, g, y, x, k, upper: m.where(m.triangle(x, k, upper), g, 0.0),
    linear="jointly",
    keeps_integers=True,
)


# --- parts of an array -----------------------------------------------------------------------------------


def getitem(x, index) -> "Tensor":
    """Return `x[index]`: integers, slices, None, ..., integer arrays (the gradients of duplicates add up), masks."""
    index = _plain(index)
    for entry in index if isinstance(index, tuple) else (index,):
        if isinstance(entry, (float, str, bytes)) or (getattr(getattr(entry, "dtype", None), "kind", "i") not in "iub"):
            raise ArrayIndexError(
                f"an array is indexed by integers, slices, None, ..., and arrays of integers or truth values, not by "
                f"{describe(entry)}"
            )
    return _getitem(x, index=index)


getitem = twin("view", getitem, "getitem", getitem, _getitem, "index", array_back)


def _plain(index) -> Any:
    """Return an index in which lists are arrays and Values are refused."""
    if isinstance(index, tuple):
        return tuple(map(_plain, index))
    if isinstance(index, list):
        try:
            return np.asarray(index, dtype=None if index else int)
        except ValueError:
            raise ArrayIndexError(f"lists of different lengths cannot be an index: {describe(index)}") from None
    if isinstance(index, Value):
        raise ArrayIndexError(f"a Value cannot be an index: {index!r}; use integers or a comparison such as v.data > 0")
    index = as_base_array(index)
    if isinstance(index, np.ndarray) and index.dtype not in _INDEX_DTYPES and index.dtype.kind in "iu":
        return index.astype(np.intp)  # a size may not fit into 8 bits, and JAX refuses big-endian integers
    return index


_INDEX_DTYPES = (np.dtype(np.int64), np.dtype(np.int32))


def scatter_add(x, index, values) -> "Tensor":
    """Return `x` with `values` added at `index`, duplicates included: `x.at[index].add(values)`."""
    x, index, values = _mark_wrong(as_operand(x), _plain(index), as_operand(values))
    return _index_add(x, values, index=index)


def scatter_set(x, index, values) -> "Tensor":
    """Return `x` with `values` at `index`: `x.at[index].set(values)`; no element may occur twice in the index."""
    _require_distinct(x, index, "set")
    x, index, values = _mark_wrong(as_operand(x), _plain(index), as_operand(values))
    return _index_set(x, values, index=index)


def _mark_wrong(x, index, values) -> tuple:
    """Return an update whose values are NaN if its index is out of range, where this is not known while jit traces.

    Integers have no NaN: their values are then the smallest integer, or the largest of unsigned ones, as in JAX.
    """
    entries, shape = each_entry(index), shape_of(x)
    m = next((m for m in (backend_of(i) for i in entries if hasattr(i, "dtype")) if m not in (None, NUMPY)), NUMPY)
    if m.is_sure(shape, index):
        return x, index, values
    nearest, is_wrong = list(entries), False
    for k, axis in enumerate(axes_of(entries, len(shape))):
        i = entries[k]
        if axis is not None and m.is_traced(i):
            nearest[k] = m.xp.clip(i, -shape[axis], shape[axis] - 1)
            is_wrong = is_wrong | (nearest[k] != i).any()
    if are_integers([data_of(x), values]):
        dtype = np.dtype(x.dtype)
        missing = True if dtype.kind == "b" else np.iinfo(dtype).max if dtype.kind == "u" else np.iinfo(dtype).min
        return x, tuple(nearest), m.where(is_wrong, missing, values)
    return x, tuple(nearest), values * m.where(is_wrong, math.nan, 1.0)


class At:
    """`v.at[index]`: functional updates. They return a new Value; `v` stays as it is.

    >>> from adjoint import Value
    >>> v = Value([1.0, 2.0, 3.0])
    >>> v.at[1].set(10.0).data
    array([ 1., 10.,  3.])
    """

    __slots__ = ("_value",)

    def __init__(self, value):
        self._value = value

    def __getitem__(self, index) -> "IndexedPart":
        return IndexedPart(self._value, index)


class IndexedPart:
    """One place of an array, to be updated."""

    __slots__ = ("_index", "_value")

    def __init__(self, value, index):
        self._value, self._index = value, index

    def set(self, x) -> "Tensor":
        """Return the array with `x` at this place; gradients go to both."""
        return scatter_set(self._value, self._index, x)

    def add(self, x) -> "Tensor":
        """Return the array with `x` added at this place; where an index occurs twice, both are added."""
        return scatter_add(self._value, self._index, x)

    def multiply(self, x) -> "Tensor":
        """Return the array with this place multiplied by `x`; no element may occur twice in the index."""
        _require_distinct(self._value, self._index, "multiply")
        return scatter_set(self._value, self._index, getitem(self._value, self._index) * as_operand(x))


def _require_distinct(value, index, what: str) -> None:
    entries = _plain(index) if isinstance(index, tuple) else (_plain(index),)
    if any(isinstance(entry, np.ndarray) and entry.dtype.kind in "iu" for entry in entries):
        try:
            positions = np.arange(math.prod(shape_of(value))).reshape(shape_of(value))[_plain(index)]
        except IndexError:
            return  # the operation itself explains it
        if len(np.unique(positions)) < positions.size:
            raise ArgumentError(
                f"at[…].{what}: an element occurs twice in the index, and the order of the updates is not defined; "
                "remove the duplicate, or use at[…].add, which adds both"
            )


# --- choosing -----------------------------------------------------------------------------------------------


def where(condition, x, z) -> "Tensor":
    """Return the elements of `x` where the condition holds and those of `z` elsewhere; both have gradients."""
    is_exported = comparisons.note is not None and hasattr(condition, "made")
    if is_exported and not isinstance(x, Value) and not isinstance(z, Value):
        x = make_leaf(np.asarray(x, float))  # so that the graph computes the result
    condition = as_condition(condition)
    if is_traced(condition):
        return ops.where(condition, x, z)  # pyright: ignore[reportReturnType]
    x, z = as_operand(x), as_operand(z)
    m = backend_of(condition)
    if m not in (None, NUMPY) and not isinstance(x, Value) and not isinstance(z, Value):
        if m.is_number(condition) and m.is_number(x) and m.is_number(z):
            return m.where(condition, x, z)  # a number inside jit: it takes the dtype of the arrays that it meets
        if not (m.owns(x) or m.owns(z)):  # the library of the condition computes; a number takes the other's dtype
            x, z = (x, m.from_numpy(np.asarray(z))) if is_number(x) else (m.from_numpy(np.asarray(x)), z)
    return _where(_weak(x, z), _weak(z, x), condition=condition)


def _weak(x, other):
    """Return a number of NumPy next to a Value of an array as a float, which takes the dtype of the array."""
    is_scalar = hasattr(x, "dtype") and isinstance(other, Value) and other._is_array and is_number(x)
    return float(x) if is_scalar else x


def as_condition(condition):
    if isinstance(condition, Value):
        condition = data_of(condition) != 0
    if is_traced(condition):
        return condition
    if isinstance(condition, (list, tuple, bool, np.bool_)):
        condition = np.asarray(condition)
    if not hasattr(condition, "dtype"):
        raise ArgumentError(f"where needs a condition such as v > 0, not {describe(condition)}")
    require_real(condition, NUMPY)
    condition = as_base_array(condition)
    return condition != 0 if "bool" not in str(condition.dtype) else condition


def clip(x, min: "Value | Array | float | None" = None, max: "Value | Array | float | None" = None) -> "Tensor":
    """Return `x` limited to two bounds; beyond a bound, the gradient goes to the bound if that is a Value.

    >>> from adjoint import Value, clip
    >>> x = Value([-2.0, 0.5, 3.0])
    >>> y = clip(x, 0.0, 1.0)
    >>> y.sum().backward()
    >>> y.data, x.grad
    (array([0. , 0.5, 1. ]), array([0., 1., 0.]))
    """
    x, low, high = as_operand(x), as_operand(min), as_operand(max)
    given = [data_of(v) for v in (x, low, high) if v is not None]
    absent = 0 if are_integers(given) else math.inf  # an infinite bound is a float
    low, high = -absent if low is None else _weak(low, x), absent if high is None else _weak(high, x)
    return _clip(x, low, high, has_low=min is not None, has_high=max is not None)


def take(x, indices, axis: int | None = None) -> "Tensor":
    """Return the elements, or slices along an axis, at the indices; gradients of duplicates add up.

    >>> from adjoint import Value, take
    >>> x = Value([10.0, 20.0, 30.0])
    >>> y = take(x, [0, 2, 2])
    >>> y.sum().backward()
    >>> y.data, x.grad
    (array([10., 30., 30.]), array([1., 0., 2.]))
    """
    x, axis = along(x, axis, "take")
    return getitem(x, (slice(None),) * axis + (_plain(indices),))


def repeat(x, repeats, axis: int | None = None, *, dim: int | None = None, output_size: int | None = None) -> "Tensor":
    """Return the array with each element repeated; `repeats` is one count, or a list of counts, one per element.

    `output_size` is the expected size of the axis in the result; another one is an error.

    >>> from adjoint import Value, repeat
    >>> x = Value([1.0, 2.0])
    >>> repeat(x, 2).data, repeat(x, [1, 3]).data
    (array([1., 1., 2., 2.]), array([1., 2., 2., 2.]))
    """
    x, axis = as_operand(x), either_axis("repeat", axis, dim)
    x, axis = along(x if shape_of(x) else flatten(x), axis, "repeat")
    size = shape_of(x)[axis]
    try:
        counts = np.asarray(repeats, dtype=None if np.size(repeats) else int)
        counts = counts.astype(int) if counts.dtype.kind == "u" else counts  # NumPy refuses uint64
        order = np.repeat(np.arange(size), counts)
    except (ValueError, TypeError) as error:
        raise ShapeError(f"repeat: {describe(repeats)} does not fit an axis of size {size}: {error}") from None
    if output_size is not None and output_size != order.size:
        raise ShapeError(f"repeat: the repeats add up to {order.size}, not to output_size={describe(output_size)}")
    return take(x, order, axis)


def take_along_axis(x, indices, axis: int = -1, *, dim: int | None = None) -> "Tensor":
    """Return the element at each index along an axis, as with the indices that `argsort` returns.

    >>> from adjoint import Value, take_along_axis
    >>> take_along_axis(Value([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]]), [[1], [0]], axis=1).tolist()
    [[1.0], [4.0]]
    """
    x, indices = as_operand(x), _plain(indices)
    shape = shape_of(x)
    axis = one_axis(either_axis("take_along_axis", axis, dim, -1), len(shape), "take_along_axis")
    if len(shape_of(indices)) != len(shape):
        raise ShapeError(
            f"take_along_axis: indices of shape {shape_of(indices)} must have the same number of axes as the array "
            f"of shape {shape}"
        )
    m = common_backend([data_of(x)], "take_along_axis")
    index = [indices if i == axis else count_along(m, shape, i, data_of(x)) for i in range(len(shape))]
    return _getitem(x, index=tuple(index))


def count_along(m: Backend, shape: tuple[int, ...], axis: int, like) -> "Array":
    """Return 0, 1, 2, … along an axis of a shape; the other axes have size 1."""
    return m.xp.reshape(m.arange(shape[axis], like), tuple(n if i == axis else 1 for i, n in enumerate(shape)))


def part_along(x, axis: int, start: int | None, stop: int | None) -> "Tensor":
    """Return the elements from `start` to `stop` along an axis."""
    return getitem(x, (slice(None),) * axis + (slice(start, stop),))


def one_hot(indices, size: int, dtype: object = None) -> Any:
    """Return, for each index, a row of zeros with a one at it: a plain array.

    >>> from adjoint import one_hot
    >>> one_hot([0, 2], 3).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    indices = _plain(indices)
    m = common_backend([indices], "one_hot")
    indices, size = m.xp.asarray(indices), whole(size, "one_hot: size", 0)
    require_real(indices, m)
    dtype = m.default_float() if dtype is None else m.as_dtype(dtype)

    def require(indices) -> None:
        if not bool(((indices >= 0) & (indices < size)).all()):
            raise ArrayIndexError(f"one_hot: indices must be integers from 0 to {size - 1}, not {describe(indices)}")

    is_unknown = m.is_traced(indices) and not check_later(indices, 0, size - 1, require)
    if not m.is_traced(indices):
        require(indices)
    found = m.astype(indices[..., None] == m.arange(size, indices), dtype)
    if is_unknown and m.is_floating(dtype):
        is_wrong = (indices < 0) | (indices >= size)
        found = m.where(is_wrong[..., None], m.xp.asarray(math.nan, dtype=dtype), found)
    return found


def embedding(weight, indices) -> "Tensor":
    """Return the row of `weight` for each index; the gradients of rows used several times add up.

    >>> from adjoint import Value, embedding
    >>> weight = Value([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> y = embedding(weight, [2, 0, 2])
    >>> y.sum().backward()
    >>> y.tolist(), weight.grad.tolist()
    ([[5.0, 6.0], [1.0, 2.0], [5.0, 6.0]], [[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]])
    """
    weight, indices = as_operand(weight), _plain(indices)
    if len(shape_of(weight)) != 2:
        raise ShapeError(f"embedding: weights are a table of two axes, not of shape {shape_of(weight)}")
    return cast_operands("embedding", getitem(weight, indices))[0]  # after the lookup: gradients add up in its dtype


# --- triangles and diagonals ------------------------------------------------------------------------------------


def tril(x, k: int = 0, *, diagonal: int | None = None) -> "Tensor":
    """Return the lower triangle: zeros above diagonal `k`, which PyTorch calls `diagonal`.

    >>> from adjoint import Value, tril
    >>> tril(Value([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[1.0, 0.0], [3.0, 4.0]]
    """
    k = operator.index(either("tril", "k", k, "diagonal", diagonal, 0))
    return _triangle(as_matrices(x, "tril"), k=k, upper=False)


def triu(x, k: int = 0, *, diagonal: int | None = None) -> "Tensor":
    """Return the upper triangle: zeros below diagonal `k`, which PyTorch calls `diagonal`.

    >>> from adjoint import Value, triu
    >>> triu(Value([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[1.0, 2.0], [0.0, 4.0]]
    """
    k = operator.index(either("triu", "k", k, "diagonal", diagonal, 0))
    return _triangle(as_matrices(x, "triu"), k=k, upper=True)


def diagonal(x, k: int = 0, *, offset: int | None = None, dim1: int | None = None, dim2: int | None = None) -> "Tensor":
    """Return diagonal `k` of the last two axes.

    With PyTorch's words, the diagonal `offset` of the axes `dim1` and `dim2`, which are 0 and 1 unless given.

    >>> from adjoint import Value, diagonal
    >>> x = Value([[1.0, 2.0], [3.0, 4.0]])
    >>> diagonal(x).data, diagonal(x, 1).data
    (array([1., 4.]), array([2.]))
    """
    x = as_matrices(x, "diagonal")
    if offset is not None or dim1 is not None or dim2 is not None:
        k = either("diagonal", "k", k, "offset", offset, 0)
        x = moveaxis(x, (0 if dim1 is None else dim1, 1 if dim2 is None else dim2), (-2, -1))
    k = operator.index(k)
    rows, columns = shape_of(x)[-2:]
    i = np.arange(max(-k, 0), max(min(rows, columns - k), max(-k, 0)))
    return getitem(x, (..., i, i + k))


def diag(x, k: int = 0) -> "Tensor":
    """Return the diagonal of a matrix, or the matrix that has a vector as its diagonal.

    >>> from adjoint import Value, diag
    >>> diag(Value([1.0, 2.0])).tolist(), diag(Value([[1.0, 2.0], [3.0, 4.0]])).data
    ([[1.0, 0.0], [0.0, 2.0]], array([1., 4.]))
    """
    x = as_operand(x)
    if len(shape_of(x)) == 2:
        return diagonal(x, k)
    if len(shape_of(x)) != 1:
        raise ShapeError(f"diag needs a vector or a matrix, not an array of shape {shape_of(x)}")
    size = shape_of(x)[0] + abs(k)
    data = data_of(x)
    m = common_backend([data], "diag")
    i = np.arange(shape_of(x)[0])
    return scatter_add(m.zeros((size, size), data), (i + max(-k, 0), i + max(k, 0)), x)


def trace(x) -> "Tensor":
    """Return the sum of the diagonal of the last two axes.

    >>> from adjoint import Value, trace
    >>> trace(Value([[1.0, 2.0], [3.0, 4.0]])).item()
    5.0
    """
    return reductions.sum(diagonal(x), -1)
