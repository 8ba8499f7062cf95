"""Functions with NumPy's parameters, where adjoint's function of that name has others.

`numpy_protocol.py` calls them: `np.clip(v, a_min=0)` arrives at `clip` here. It also takes care of `dtype`, which casts
the operands, and of parameters that do not affect the result.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.axes import Axis, all_axes, as_shape, one_axis, shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import arranging, cumulative, indexing, padding, reductions, shaping
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ArrayIndexError, ShapeError
from adjoint.errors.given import describe

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor
    from adjoint.engine.mathematics.protocol import Array

# --- reductions: some of the elements, and a first one ----------------------------------------------------------


def sum(a, axis: Axis = None, keepdims: bool = False, initial=None, where=True) -> "Tensor":
    found = reductions.sum(_chosen(a, where, 0.0), axis, keepdims)
    return found if initial is None else ops.add(found, initial)


def prod(a, axis: Axis = None, keepdims: bool = False, initial=None, where=True) -> "Tensor":
    found = reductions.prod(_chosen(a, where, 1.0), axis, keepdims)
    return found if initial is None else ops.mul(found, initial)


def max(a, axis: Axis = None, keepdims: bool = False, initial=None, where=True) -> "Tensor":
    return _extremum(reductions.max, ops.maximum, -math.inf, a, axis, keepdims, initial, where)


def min(a, axis: Axis = None, keepdims: bool = False, initial=None, where=True) -> "Tensor":
    return _extremum(reductions.min, ops.minimum, math.inf, a, axis, keepdims, initial, where)


def mean(a, axis: Axis = None, keepdims: bool = False, where=True) -> "Tensor":
    if where is True:
        return reductions.mean(a, axis, keepdims)
    return ops.div(sum(a, axis, keepdims, None, where), _count(a, axis, keepdims, where))


_mean = mean  # `var` has a parameter of that name


def var(
    a,
    axis: Axis = None,
    ddof: float = 0,
    keepdims: bool = False,
    where=True,
    mean=None,
    correction: float | None = None,
) -> "Tensor":
    ddof = ddof if correction is None else correction
    if where is True and mean is None:
        return reductions.var(a, axis, ddof, keepdims)
    center = _mean(a, axis, True, where) if mean is None else mean
    squares = sum(ops.square(ops.sub(a, center)), axis, keepdims, None, where)
    return ops.div(squares, ops.maximum(_count(a, axis, keepdims, where) - ddof, 0.0))


def std(
    a,
    axis: Axis = None,
    ddof: float = 0,
    keepdims: bool = False,
    where=True,
    mean=None,
    correction: float | None = None,
) -> "Tensor":
    if where is True and mean is None:
        return reductions.std(a, axis, ddof if correction is None else correction, keepdims)
    return ops.sqrt(var(a, axis, ddof, keepdims, where, mean, correction))


def cumulative_sum(x, axis: int | None = None, include_initial: bool = False) -> "Tensor":
    return _with_initial(reductions.cumsum(x, _only_axis(x, axis)), axis, include_initial, 0.0)


def cumulative_prod(x, axis: int | None = None, include_initial: bool = False) -> "Tensor":
    return _with_initial(reductions.cumprod(x, _only_axis(x, axis)), axis, include_initial, 1.0)


def cummax(array, axis: int = 0) -> "Tensor":
    """`np.maximum.accumulate` returns no indices."""
    return cumulative.cummax(array, axis)[0]


def cummin(array, axis: int = 0) -> "Tensor":
    return cumulative.cummin(array, axis)[0]


def _only_axis(x, axis: int | None) -> int:
    if axis is None and len(shape_of(x)) != 1:
        raise ShapeError(f"a cumulative sum or product of an array of shape {shape_of(x)} needs an axis")
    return axis or 0


def _with_initial(x, axis: int | None, is_included: bool, value: float) -> "Tensor":
    if not is_included:
        return x
    i = one_axis(axis or 0, len(shape_of(x)), "cumulative_sum")
    return shaping.pad_constant(x, [(int(k == i), 0) for k in range(len(shape_of(x)))], value)


def _chosen(a, where, otherwise: float) -> "Tensor":
    """Return an array with `otherwise` in place of the elements that a mask leaves out."""
    return a if where is True else indexing.where(_mask(a, where), a, otherwise)


def _mask(a, where) -> "Array":
    """Return a mask in the shape of the array."""
    mask = indexing.as_condition(np.asarray(where) if isinstance(where, bool) else where)
    shape, own = shape_of(as_operand(a)), shape_of(mask)
    if len(own) > len(shape) or any(size not in (1, full) for size, full in zip(own[::-1], shape[::-1])):
        raise ShapeError(f"where: a mask of shape {own} does not broadcast to that of the array, {shape}")
    return common_backend([mask], "where").xp.broadcast_to(mask, shape)


def _count(a, axis: Axis, keepdims: bool, where) -> "Array":
    """Return how many elements are chosen along the axes, as floats."""
    shape, data = shape_of(as_operand(a)), data_of(as_operand(a))
    m = common_backend([data], "mean")
    mask = m.ones_like(m.xp.asarray(data)) if where is True else m.astype(_mask(a, where), m.xp.asarray(data).dtype)
    return m.sum(mask, axis=all_axes(axis, len(shape), "mean"), keepdims=keepdims)


def _extremum(reduction, row, identity: float, a, axis: Axis, keepdims: bool, initial, where) -> "Tensor":
    if initial is None:
        if where is not True:
            raise ArgumentError(f"{reduction.__name__} with where= needs initial=: all elements may be left out")
        return reduction(a, axis, keepdims)
    a, shape = _chosen(a, where, identity), shape_of(as_operand(a))
    axes = all_axes(axis, len(shape), reduction.__name__)
    if 0 in [shape[i] for i in axes]:  # nothing but the first element
        return ops.add(reductions.sum(a, axes, keepdims), initial)
    return row(reduction(a, axes, keepdims), initial)


# --- shapes ---------------------------------------------------------------------------------------------------------


def reshape(a, shape, order: str = "C") -> "Tensor":
    if not _by_columns(a, order, "reshape"):
        return shaping.reshape(a, shape)
    return shaping.transpose(shaping.reshape(shaping.transpose(a), as_shape(shape, "reshape")[::-1]))


def ravel(a, order: str = "C") -> "Tensor":
    return arranging.ravel(shaping.transpose(a) if _by_columns(a, order, "ravel") else a)


def _by_columns(a, order: str, who: str) -> bool:
    """Return whether elements are read with the first axis fastest: as asked for, or as they are in memory."""
    if order not in ("C", "F", "A", "K"):
        raise ArgumentError(f"{who}: order must be 'C', 'F', 'A' or 'K', not {describe(order)}")
    data = data_of(a)
    in_memory = order in ("A", "K") and isinstance(data, np.ndarray) and data.flags.fnc
    return order == "F" or in_memory


def transpose(a, axes=None) -> "Tensor":
    return shaping.transpose(a, axes)


def astype(x, dtype) -> "Tensor":
    return shaping.astype(x, dtype)


def real(val) -> "Tensor":
    """A Value is real: `real`, `conjugate` and `real_if_close` return it as it is."""
    return val


def real_if_close(a, tol: float = 100) -> "Tensor":
    return a


def imag(val) -> "Array":
    return np.zeros_like(data_of(val))


def angle(z, deg: bool = False) -> "Array":
    """The angle of a real number: a constant, 0 or π."""
    return np.angle(data_of(z), deg)


def copy(a) -> "Tensor":
    return ops.mul(a, 1.0)


def full_like(a, fill_value, dtype=None, shape=None) -> "Tensor":
    like = data_of(a)
    if not isinstance(fill_value, Value):
        return np.full_like(like, fill_value, dtype, shape=shape)
    new = shape_of(like) if shape is None else as_shape(shape, "full_like")
    return shaping.broadcast_to(shaping.astype(fill_value, dtype or getattr(like, "dtype", float)), new)


# --- elements ---------------------------------------------------------------------------------------------------


def where(condition, x=None, y=None) -> Any:
    if x is None and y is None:
        return np.nonzero(data_of(condition))
    return indexing.where(condition, x, y)


def take(a, indices, axis: int | None = None, mode: str = "raise") -> "Tensor":
    if mode != "raise":
        a = as_operand(a)
        size = math.prod(shape_of(a)) if axis is None else shape_of(a)[one_axis(axis, len(shape_of(a)), "take")]
        if mode not in ("wrap", "clip"):
            raise ArgumentError(f"take: mode must be 'raise', 'wrap' or 'clip', not {describe(mode)}")
        if not size:
            raise ArrayIndexError("take: the axis is empty")
        indices = np.asarray(indices) % size if mode == "wrap" else np.clip(indices, 0, size - 1)
    return indexing.take(a, indices, axis)


def clip(a, a_min=None, a_max=None, min=None, max=None) -> "Tensor":
    return indexing.clip(a, a_min if min is None else min, a_max if max is None else max)


def diagonal(a, offset: int = 0, axis1: int = 0, axis2: int = 1) -> "Tensor":
    """NumPy takes the first two axes, adjoint the last two."""
    return indexing.diagonal(shaping.moveaxis(a, (axis1, axis2), (-2, -1)), offset)


def trace(a, offset: int = 0, axis1: int = 0, axis2: int = 1) -> "Tensor":
    return reductions.sum(diagonal(a, offset, axis1, axis2), -1)


def matrix_diagonal(x, offset: int = 0) -> "Tensor":
    return indexing.diagonal(x, offset)


def matrix_trace(x, offset: int = 0) -> "Tensor":
    return reductions.sum(indexing.diagonal(x, offset), -1)


def extract(condition, arr) -> "Tensor":
    return compress(np.ravel(data_of(condition)), arr)


def compress(condition, a, axis: int | None = None) -> "Tensor":
    return indexing.take(a, np.flatnonzero(data_of(condition)), axis)


def diagflat(v, k: int = 0) -> "Tensor":
    return indexing.diag(arranging.ravel(v), k)


def fix(x) -> Value:
    return ops.trunc(x)


def pad(array, pad_width, mode: str = "constant", constant_values=0.0, **options) -> "Tensor":
    if (np.asarray(list(pad_width.values()) if isinstance(pad_width, dict) else pad_width) < 0).any():
        raise ShapeError(f"np.pad: widths must not be negative: {pad_width!r}; adjoint.pad crops by them")
    return padding.pad(array, pad_width, constant_values, mode, **options)


def linspace(start, stop, num: int = 50, endpoint: bool = True, retstep: bool = False, axis: int = 0) -> Any:
    found = arranging.linspace(start, stop, num, endpoint, axis)
    if not retstep:
        return found
    return found, ops.div(ops.sub(stop, start), num - bool(endpoint) or math.nan)
