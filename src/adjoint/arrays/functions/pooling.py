"""Pooling: its rules and functions, with PyTorch's layouts and conventions.

`_pool` sums the elements of each window, and `_unpool` gives each element of a window what the sum received. Each is
the derivative of the other.
"""

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from adjoint.arrays.array_rule import array_op
from adjoint.arrays.axes import shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import shaping
from adjoint.arrays.functions.windows import Geometry, Sizes, fold, for_each_axis, pad, require_axes, require_fit
from adjoint.errors import ArgumentError

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor

# --- pooling ---------------------------------------------------------------------------------------


def _pool_forward(m, x, chosen, geometry):
    x = pad(m, x, geometry)
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
    return fold(m, parts, g, geometry)


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
    x = pad(m, x, geometry, -math.inf)
    parts = (x[(..., *where)] for _, where in geometry.places)
    top = m.array(next(parts))
    for part in parts:
        top = m.maximum(top, part)
    return top


def _choose_largest(x, y, geometry: Geometry):
    """Return the position of the largest element in each window; the first of equal elements."""
    x, y = data_of(x), data_of(y)
    m = common_backend([x], "max_pool2d")
    x = pad(m, x, geometry, math.nan)  # which equals nothing: the padding is never chosen
    count = len(geometry.places)
    rank = count - _first_inside(m, y, geometry)
    rank = rank * m.astype(y != y, rank.dtype)  # NaN equals nothing: the first element of its window is chosen
    for k, (_, where) in enumerate(geometry.places):
        rank = m.maximum(rank, (count - k) * m.astype(x[(..., *where)] == y, rank.dtype))
    return count - rank


def _first_inside(m, like, geometry: Geometry):
    """Return, for each window, the position of its first element that is not padding."""
    (rows, columns), (height, width) = geometry.windows, geometry.stride
    (above, _), (before, _) = geometry.padding
    down = m.maximum(above - height * m.arange(rows, like), 0)
    right = m.maximum(before - width * m.arange(columns, like), 0)
    number = down[:, None] * geometry.kernel[1] + right[None, :]
    return m.astype(number, m.int8 if math.prod(geometry.kernel) < 128 else m.int32)


_max_pool = array_op(
    "max_pool",
    _max_pool_forward,
    lambda m, g, y, x, geometry: _unpool(g, chosen=_choose_largest(x, y, geometry), geometry=geometry),
    jvp=lambda m, ts, y, x, geometry: _pool(ts[0], chosen=_choose_largest(x, y, geometry), geometry=geometry),
    reads="xy",
)


# --- the functions ---------------------------------------------------------------------------------


def max_pool2d(x, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> "Tensor":
    """Return the largest element of each window; the first of equal elements receives the gradient.

    `x` has the shape (samples, channels, height, width) or (channels, height, width). Without a `stride` the
    windows lie side by side.

    >>> from adjoint import Value, max_pool2d
    >>> max_pool2d(Value([[[1.0, 2.0, 5.0, 6.0], [3.0, 4.0, 7.0, 8.0]]]), 2).data
    array([[[4., 8.]]])
    """
    return _apply_pool("max_pool2d", x, kernel_size, stride, padding, _max_pool)


def avg_pool2d(
    x, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, *, count_include_pad: bool = True
) -> "Tensor":
    """Return the mean of each window. Padding counts as zeros; `count_include_pad=False` leaves it out.

    `x` has the shape (samples, channels, height, width) or (channels, height, width). Without a `stride` the
    windows lie side by side.

    >>> from adjoint import Value, avg_pool2d
    >>> avg_pool2d(Value([[[1.0, 2.0, 5.0, 6.0], [3.0, 4.0, 7.0, 8.0]]]), 2).data
    array([[[2.5, 6.5]]])
    """

    def mean(x, *, geometry: Geometry):
        total = _pool(x, chosen=None, geometry=geometry)
        return total / (math.prod(geometry.kernel) if count_include_pad else _counts(total, geometry))

    return _apply_pool("avg_pool2d", x, kernel_size, stride, padding, mean)


def _counts(total, geometry: Geometry):
    """Return how many elements of each window are not padding."""
    data = data_of(total)
    ones = common_backend([data], "avg_pool2d").zeros((1, 1, *geometry.size), data) + 1
    return _pool(ones, chosen=None, geometry=geometry)


def _apply_pool(who: str, x, kernel_size, stride, padding, pool) -> "Tensor":
    x = as_operand(x)
    shape = shape_of(x)
    kernel = for_each_axis(kernel_size, 2, who, "kernel_size", 1)
    steps = kernel if stride is None else for_each_axis(stride, 2, who, "stride", 1)
    geometry = _pool_geometry(who, shape, kernel, steps, for_each_axis(padding, 2, who, "padding", 0))
    if len(shape) == 4:
        return pool(x, geometry=geometry)
    y = pool(shaping.reshape(x, (1, *shape)), geometry=geometry)
    return shaping.reshape(y, shape_of(y)[1:])


@lru_cache(maxsize=1024)
def _pool_geometry(who: str, shape, kernel, stride, padding) -> Geometry:
    require_axes(who, shape, ("height", "width"))
    if any(2 * margin > size for margin, size in zip(padding, kernel)):
        raise ArgumentError(f"{who}: a padding of {padding} is more than half of the kernel, {kernel}")
    margins = tuple((margin, margin) for margin in padding)
    return require_fit(Geometry(shape[-2:], kernel, stride, margins, (1, 1)), who, shape)
