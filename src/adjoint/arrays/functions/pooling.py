"""Pooling: its rules and functions, with PyTorch's layouts and conventions.

`_pool` sums the elements of each window, and `_unpool` gives each element of a window what the sum received. Each is
the derivative of the other.
"""

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.array_rule import array_op
from adjoint.arrays.axes import shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import indexing, scattering, shaping
from adjoint.arrays.functions.windows import (
    Geometry,
    Sizes,
    for_each_axis,
    require_axes,
    require_fit,
    with_samples,
    without_samples,
)
from adjoint.engine import ops
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, is_number

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor
    from adjoint.engine.mathematics.protocol import Array

# --- pooling ---------------------------------------------------------------------------------------


def _pool_forward(m, x, chosen, geometry):
    x = geometry.pad(m, x)
    parts = (x[(..., *where)] for _, where in geometry.places)
    if chosen is not None:
        parts = (m.where(chosen == k, part, 0.0) for k, part in enumerate(parts))
    total = m.array(next(parts))
    for part in parts:
        total += part
    return total


def _unpool_forward(m, g, chosen, geometry):
    count = math.prod(geometry.kernel)
    parts = (g if chosen is None else m.where(chosen == k, g, 0.0) for k in range(count))
    return m.fold(parts, g, geometry)


# The sum of each window, or only that one of its elements that `chosen` numbers; and the transpose of it.
_pool = array_op(
    "pool",
    _pool_forward,
    lambda m, g, y, x, chosen, geometry: _unpool(g, chosen=chosen, geometry=geometry),
    linear="jointly",
)
_unpool = array_op(
    "unpool",
    _unpool_forward,
    lambda m, g, y, x, chosen, geometry: _pool(g, chosen=chosen, geometry=geometry),
    linear="jointly",
)


def _max_pool_forward(m, x, geometry):
    x = geometry.pad(m, x, -math.inf)
    parts = (x[(..., *where)] for _, where in geometry.places)
    top = m.array(next(parts))
    for part in parts:
        top = m.maximum(top, part)
    return top


def _choose_largest(x, y, geometry: Geometry):
    """Return the position of the largest element in each window: the first of equal ones, the last NaN of several."""
    x, y = data_of(x), data_of(y)
    m = common_backend([x], "max_pool")
    padded = geometry.pad(m, x, math.nan)  # which equals nothing: the padding is never chosen
    count = len(geometry.places)
    kind = m.int8 if count < 127 else m.int32
    rank = m.astype(y != y, kind)
    for k, (_, where) in enumerate(geometry.places):
        rank = m.maximum(rank, (count - k) * m.astype(padded[(..., *where)] == y, kind))
    chosen = count - rank
    if m.is_traced(y) or bool(m.any(y != y)):
        chosen = m.where(y != y, _last_nan(m, geometry.pad(m, x), geometry, kind), chosen)
    return chosen


def _last_nan(m, x, geometry: Geometry, kind):
    found = None
    for k, (_, where) in enumerate(geometry.places):
        part = x[(..., *where)]
        here = k * m.astype(part != part, kind)
        found = here if found is None else m.maximum(found, here)
    return found


def flat_indices(x, y, geometry: Geometry) -> "Array":
    """Return where in the input the largest element of each window is, counted through all spatial axes."""
    x = data_of(x)
    m = common_backend([x], "max_pool")
    rest = m.astype(_choose_largest(x, y, geometry), m.int64)
    unit, ndim = 1, len(geometry.size)
    found: Any = 0
    for i in reversed(range(ndim)):
        start = geometry.stride[i] * m.arange(geometry.windows[i], x) - geometry.padding[i][0]
        place = m.reshape(start, (-1,) + (1,) * (ndim - 1 - i)) + geometry.dilation[i] * (rest % geometry.kernel[i])
        found, unit, rest = found + unit * place, unit * geometry.size[i], rest // geometry.kernel[i]
    return found


pool_maximum = array_op(
    "max_pool",
    _max_pool_forward,
    lambda m, g, y, x, geometry: _unpool(g, chosen=_choose_largest(x, y, geometry), geometry=geometry),
    jvp=lambda m, ts, y, x, geometry: _pool(ts[0], chosen=_choose_largest(x, y, geometry), geometry=geometry),
    reads="xy",
)


# --- the functions ---------------------------------------------------------------------------------


def max_pool1d(
    x, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, dilation: Sizes = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Return the largest element of each window of a sequence; see `max_pool2d`.

    >>> from adjoint import Value, max_pool1d
    >>> y, indices = max_pool1d(Value([[1.0, 5.0, 4.0, 2.0]]), 2, return_indices=True)
    >>> y.data, indices
    (array([[5., 4.]]), array([[1, 2]]))
    """
    return _max_pool_of("max_pool1d", x, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool2d(
    x, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, dilation: Sizes = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Return the largest element of each window; the first of equal elements receives the gradient.

    `x` has the shape (samples, channels, height, width) or (channels, height, width). Without a `stride` the
    windows lie side by side. `dilation` is the distance between the elements of a window. With `ceil_mode` the last
    windows may reach beyond the input. With `return_indices` the result is a pair: the second array says where each
    element was found, as an integer that counts through height and width.

    >>> from adjoint import Value, max_pool2d
    >>> max_pool2d(Value([[[1.0, 2.0, 5.0, 6.0], [3.0, 4.0, 7.0, 8.0]]]), 2).data
    array([[[4., 8.]]])
    """
    return _max_pool_of("max_pool2d", x, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool3d(
    x, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, dilation: Sizes = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Return the largest element of each window of a volume; see `max_pool2d`.

    >>> from adjoint import Value, max_pool3d
    >>> max_pool3d(Value([[[[1.0, 2.0], [3.0, 4.0]]]]), (1, 2, 2)).data
    array([[[[4.]]]])
    """
    return _max_pool_of("max_pool3d", x, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def _max_pool_of(who: str, x, kernel_size, stride, padding, dilation, ceil_mode, return_indices: bool) -> Any:
    x, geometry = _prepare(who, x, kernel_size, stride, padding, dilation, ceil_mode)
    batch, is_single = with_samples(x, len(geometry.size))
    y = pool_maximum(batch, geometry=geometry)
    if not return_indices:
        return without_samples(y, is_single)
    indices = flat_indices(batch, data_of(y), geometry)
    return without_samples(y, is_single), indices[0] if is_single else indices


def avg_pool1d(
    x, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> "Tensor":  # fmt: skip
    """Return the mean of each window of a sequence; see `avg_pool2d`.

    >>> from adjoint import Value, avg_pool1d
    >>> avg_pool1d(Value([[1.0, 3.0, 4.0, 8.0]]), 2).data
    array([[2., 6.]])
    """
    return _avg_pool_of("avg_pool1d", x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool2d(
    x, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> "Tensor":  # fmt: skip
    """Return the mean of each window. Padding counts as zeros; `count_include_pad=False` leaves it out.

    `x` has the shape (samples, channels, height, width) or (channels, height, width). Without a `stride` the
    windows lie side by side. With `ceil_mode` the last windows may reach beyond the input; what lies beyond the padding
    does not count. With `divisor_override` the sum of each window is divided by this number instead.

    >>> from adjoint import Value, avg_pool2d
    >>> avg_pool2d(Value([[[1.0, 2.0, 5.0, 6.0], [3.0, 4.0, 7.0, 8.0]]]), 2).data
    array([[[2.5, 6.5]]])
    """
    return _avg_pool_of("avg_pool2d", x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(
    x, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> "Tensor":  # fmt: skip
    """Return the mean of each window of a volume; see `avg_pool2d`.

    >>> from adjoint import Value, avg_pool3d
    >>> avg_pool3d(Value([[[[1.0, 2.0], [3.0, 4.0]]]]), (1, 2, 2)).data
    array([[[[2.5]]]])
    """
    return _avg_pool_of("avg_pool3d", x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def _avg_pool_of(who: str, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override) -> "Tensor":
    x, geometry = _prepare(who, x, kernel_size, stride, padding, 1, ceil_mode)
    batch, is_single = with_samples(shaping.widen(x), len(geometry.size))
    total = _pool(batch, chosen=None, geometry=geometry)
    if divisor_override is not None:
        divisor = _divisor(divisor_override, who)
    else:
        divisor = _counts(data_of(total), geometry, bool(count_include_pad))
    return without_samples(shaping.narrow(total / divisor, x), is_single)


def _divisor(given, who: str) -> int:
    """Return a divisor; as in PyTorch, it may be negative."""
    if isinstance(given, bool) or not hasattr(given, "__index__") or not int(given):
        raise ArgumentError(f"{who}: divisor_override must be an integer other than 0, not {describe(given)}")
    return int(given)


def _counts(like, geometry: Geometry, with_padding: bool) -> "int | Tensor":
    """Return how many elements each window has, without those that `ceil_mode` added, and maybe without padding."""
    margins = tuple((before, before) if with_padding else (0, 0) for before, _ in geometry.padding)
    if margins == geometry.padding:
        return math.prod(geometry.kernel)
    size = tuple(n + sum(margin) for n, margin in zip(geometry.size, margins))
    left = tuple((a - c, b - d) for (a, b), (c, d) in zip(geometry.padding, margins))
    ones = common_backend([like], "avg_pool").zeros((1, 1, *size), like) + 1
    return _pool(ones, chosen=None, geometry=Geometry(size, geometry.kernel, geometry.stride, left, geometry.dilation))


def lp_pool1d(
    x, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
) -> "Tensor":
    """Return the norm of each window of a sequence; see `lp_pool2d`.

    >>> from adjoint import Value, lp_pool1d
    >>> lp_pool1d(Value([[3.0, 4.0, 6.0, 8.0]]), 2, 2).data
    array([[ 5., 10.]])
    """
    return _lp_pool_of("lp_pool1d", x, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    x, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
) -> "Tensor":
    """Return the norm of each window of an image: the sum of x ** norm_type, to the power of 1 / norm_type.

    As in PyTorch, x is not made positive first: an odd norm of negative numbers may be NaN. The infinite norm is the
    largest absolute value.

    >>> from adjoint import Value, lp_pool2d
    >>> lp_pool2d(Value([[[3.0, 0.0], [0.0, 4.0]]]), 2, 2).data
    array([[[5.]]])
    """
    return _lp_pool_of("lp_pool2d", x, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    x, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
) -> "Tensor":
    """Return the norm of each window of a volume; see `lp_pool2d`.

    >>> from adjoint import Value, lp_pool3d
    >>> lp_pool3d(Value([[[[3.0, 0.0], [0.0, 4.0]]]]), 2, (1, 2, 2)).data
    array([[[[5.]]]])
    """
    return _lp_pool_of("lp_pool3d", x, norm_type, kernel_size, stride, ceil_mode)


def _lp_pool_of(who: str, x, norm_type: float, kernel_size, stride, ceil_mode) -> "Tensor":
    if not is_number(norm_type) or norm_type == 0 or norm_type == -math.inf or math.isnan(norm_type):
        raise ArgumentError(f"{who}: norm_type must be a number other than 0, -inf and NaN, not {describe(norm_type)}")
    x, geometry = _prepare(who, x, kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == math.inf:
        return _max_pool_of(who, ops.abs(x), kernel_size, stride, 0, 1, ceil_mode, False)
    batch, is_single = with_samples(ops.pow(shaping.widen(x), float(norm_type)), len(geometry.size))
    total = _pool(batch, chosen=None, geometry=geometry)
    if any(map(any, geometry.padding)):  # as in PyTorch, a window beyond the edge counts as a full one
        total = total * (math.prod(geometry.kernel) / _counts(data_of(total), geometry, False))
    is_zero = data_of(total) == 0  # where the root has an infinite slope; as in PyTorch, it has the gradient zero
    norm = indexing.where(is_zero, 0.0, ops.pow(indexing.where(is_zero, 1.0, total), 1.0 / norm_type))
    return without_samples(shaping.narrow(norm, x), is_single)


# --- back to the places of the maxima ---------------------------------------------------------------


def max_unpool1d(x, indices, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, output_size=None):
    """Return a sequence with the elements of `x` where `max_pool1d` found them, and zeros elsewhere.

    `indices` and the other arguments are those of the pooling; `output_size` is the length before it, where several
    are possible.

    >>> from adjoint import Value, max_pool1d, max_unpool1d
    >>> y, indices = max_pool1d(Value([[1.0, 5.0, 4.0, 2.0]]), 2, return_indices=True)
    >>> max_unpool1d(y, indices, 2).data
    array([[0., 5., 4., 0.]])
    """
    return _max_unpool("max_unpool1d", x, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(x, indices, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, output_size=None):
    """Return an image with the elements of `x` where `max_pool2d` found them; see `max_unpool1d`.

    >>> from adjoint import Value, max_pool2d, max_unpool2d
    >>> y, indices = max_pool2d(Value([[[1.0, 5.0], [4.0, 2.0]]]), 2, return_indices=True)
    >>> max_unpool2d(y, indices, 2).tolist()
    [[[0.0, 5.0], [0.0, 0.0]]]
    """
    return _max_unpool("max_unpool2d", x, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(x, indices, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, output_size=None):
    """Return a volume with the elements of `x` where `max_pool3d` found them; see `max_unpool1d`.

    >>> from adjoint import Value, max_pool3d, max_unpool3d
    >>> y, indices = max_pool3d(Value([[[[1.0, 5.0], [4.0, 2.0]]]]), (1, 2, 2), return_indices=True)
    >>> max_unpool3d(y, indices, (1, 2, 2)).tolist()
    [[[[0.0, 5.0], [0.0, 0.0]]]]
    """
    return _max_unpool("max_unpool3d", x, indices, kernel_size, stride, padding, output_size)


def _max_unpool(who: str, x, indices, kernel_size, stride, padding, output_size) -> "Tensor":
    x, indices, ndim = as_operand(x), np.asarray(indices) if isinstance(indices, list) else indices, int(who[-2])
    shape = shape_of(x)
    require_axes(who, shape, ndim)
    if shape_of(indices) != shape:
        raise ShapeError(f"{who}: indices have the shape {shape_of(indices)}; they need that of the input, {shape}")
    kernel = for_each_axis(kernel_size, ndim, who, "kernel_size", 1)
    steps = kernel if stride in (None, (), []) else for_each_axis(stride, ndim, who, "stride", 1)
    margins = for_each_axis(padding, ndim, who, "padding", 0)
    size = tuple((n - 1) * step - 2 * p + k for n, step, p, k in zip(shape[-ndim:], steps, margins, kernel))
    if output_size is not None:
        size = for_each_axis(tuple(output_size)[-ndim:], ndim, who, "output_size", 1)
    data = data_of(x)
    zeros = common_backend([data], who).zeros((*shape[:-ndim], math.prod(size)), data)
    flat = (*shape[:-ndim], math.prod(shape[-ndim:]))
    y = scattering.scatter(zeros, -1, indices.reshape(flat), shaping.reshape(x, flat))
    return shaping.reshape(y, (*shape[:-ndim], *size))


# --- arguments -------------------------------------------------------------------------------------


def _prepare(who: str, x, kernel_size, stride, padding, dilation, ceil_mode) -> "tuple[Tensor, Geometry]":
    """Return the input as an operand, and the geometry of its windows."""
    x, ndim = as_operand(x), int(who[-2])
    kernel = for_each_axis(kernel_size, ndim, who, "kernel_size", 1)
    steps = kernel if stride in (None, (), []) else for_each_axis(stride, ndim, who, "stride", 1)
    margins = for_each_axis(padding, ndim, who, "padding", 0)
    apart = for_each_axis(dilation, ndim, who, "dilation", 1)
    return x, _pool_geometry(who, shape_of(x), kernel, steps, margins, apart, bool(ceil_mode))


@lru_cache(maxsize=1024)
def _pool_geometry(who: str, shape, kernel, stride, padding, dilation, ceil_mode: bool) -> Geometry:
    ndim = len(kernel)
    require_axes(who, shape, ndim)
    margins = tuple((margin, margin) for margin in padding)
    geometry = Geometry(shape[-ndim:], kernel, stride, margins, dilation)
    if any(2 * margin > size for margin, size in zip(padding, geometry.span)):
        raise ArgumentError(f"{who}: a padding of {padding} is more than half of the kernel, {kernel}")
    if ceil_mode:
        sizes = zip(geometry.padded_size, geometry.span, stride, padding)
        margins = tuple((margin, margin + _missing(size, span, step, margin)) for size, span, step, margin in sizes)
        geometry = Geometry(shape[-ndim:], kernel, stride, margins, dilation)
    return require_fit(geometry, who, shape)


def _missing(size: int, span: int, step: int, margin: int) -> int:
    """Return how much a padded axis lacks for a last window, if that window would start inside the input."""
    start = -(-(size - span) // step) * step
    return max(0, start + span - size) if start < size - margin else 0
