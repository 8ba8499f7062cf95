"""Statistics: medians, quantiles, averages, covariances, and a deviation or variance together with the mean.

Defaults follow NumPy: the median of an even number of elements is the mean of the middle two, and variances divide by
the count.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.axes import Axis, all_axes, either, either_axis, either_keepdims, keepdims_shape, one_axis, shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import indexing, products, reductions
from adjoint.arrays.functions.indexing import clip, count_along, take_along_axis, where
from adjoint.arrays.functions.shaping import (
    broadcast_to,
    concat,
    expand_dims,
    matrix_transpose,
    moveaxis,
    permute_dims,
    reshape,
)
from adjoint.arrays.functions.sorting import sort
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor
    from adjoint.engine.mathematics.protocol import Array

# NumPy's names of the ways to interpolate between the two elements at a quantile.
METHODS = (
    "linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
    "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased",
)  # fmt: skip


def axes_together(x, axis: Axis, who: str) -> "tuple[Tensor, tuple[int, ...]]":
    """Return an array whose last axis consists of the axes to reduce, and those axes."""
    x = as_operand(x)
    shape = shape_of(x)
    axes = all_axes(axis, len(shape), who)
    rest = [i for i in range(len(shape)) if i not in axes]
    x = permute_dims(x, (*rest, *axes)) if axes != (len(shape) - 1,) else x
    x = reshape(x, (*[shape[i] for i in rest], math.prod([shape[i] for i in axes])))
    if not shape_of(x)[-1]:
        raise ShapeError(f"{who} of an empty array: the shape {shape} has no elements along axis {axis}")
    return x, axes


def like(x, values) -> "Array":
    """Return plain numbers as an array of the library and the dtype of `x`."""
    data = data_of(x)
    m = common_backend([data], "a constant")
    dtype = data.dtype if hasattr(data, "dtype") and m.is_floating(data.dtype) else m.default_float()
    return m.astype(m.from_numpy(np.asarray(values)), dtype)


def median(x, axis: Axis = None, keepdims: bool = False, *, dim: int | None = None, keepdim: bool | None = None) -> Any:
    """Return the median; of an even number of elements, the mean of the middle two, as NumPy does.

    With PyTorch's word `dim` in place of `axis`, return the lower of the middle two and its index, as PyTorch does.

    >>> from adjoint import Value, median
    >>> x = Value([3.0, 1.0, 2.0, 10.0])
    >>> median(x).backward()
    >>> x.grad
    array([0.5, 0. , 0.5, 0. ])
    """
    axis, keepdims = either_axis("median", axis, dim), either_keepdims("median", keepdims, keepdim)
    if dim is not None:
        return lower_median(x, dim, keepdims, "median")
    return _quantile(x, 0.5, axis, keepdims, "linear", "median")


def lower_median(x, dim: int, keepdims: bool, who: str) -> reductions.ValuesAndIndices:
    """Return PyTorch's median along an axis, and its index: NaN if there is one, or without regard to it."""
    x = as_operand(x)
    shape = shape_of(x)
    x = x if shape else reshape(x, (1,))
    axis = one_axis(dim, len(shape_of(x)), who)
    size = shape_of(x)[axis]
    if not size:
        raise ShapeError(f"{who} of an empty array: the shape {shape} has no elements along axis {axis}")
    data = data_of(x)
    m = common_backend([data], who)
    order = m.argsort(data, axis, False)  # NaN goes to the end
    counts = m.xp.sum(m.astype(data == data, order.dtype), axis=axis, keepdims=True)
    places = (counts - 1) // 2 if who == "nanmedian" else m.xp.where(counts < size, counts, (size - 1) // 2)
    grid = [
        m.xp.clip(places, 0, size - 1) if i == axis else count_along(m, shape_of(x), i, data) for i in range(data.ndim)
    ]
    indices = m.getitem(order, tuple(grid))
    return reductions.values_and_indices(take_along_axis(x, indices, axis), indices, shape, axis, bool(keepdims))


def quantile(
    x,
    q,
    axis: Axis = None,
    keepdims: bool = False,
    method: str = "linear",
    *,
    dim: Axis = None,
    keepdim: bool | None = None,
    interpolation: str | None = None,
) -> "Tensor":
    """Return the q-th quantile, for `q` from 0 to 1: a number, or an array, whose axes come first in the result.

    `method` is one of NumPy's names: "linear", "lower", "higher", "midpoint", "nearest", and eight others. PyTorch
    calls it `interpolation`.

    >>> from adjoint import Value, quantile
    >>> quantile(Value([0.0, 1.0, 2.0, 3.0]), [0.25, 0.5]).data
    array([0.75, 1.5 ])
    """
    axis, keepdims = either_axis("quantile", axis, dim), either_keepdims("quantile", keepdims, keepdim)
    method = either("quantile", "method", method, "interpolation", interpolation, "linear")
    return _quantile(x, q, axis, keepdims, method, "quantile")


def percentile(x, q, axis: Axis = None, keepdims: bool = False, method: str = "linear") -> "Tensor":
    """Return the q-th percentile, for `q` from 0 to 100; see `quantile`.

    >>> from adjoint import Value, percentile
    >>> percentile(Value([1.0, 2.0, 3.0, 4.0, 5.0]), [25, 90]).data
    array([2. , 4.6])
    """
    return _quantile(x, as_levels(q, "percentile") / 100.0, axis, keepdims, method, "percentile")


def as_levels(q, who: str) -> np.ndarray:
    if isinstance(q, Value):
        raise ArgumentError(f"{who}: q has no gradient; pass plain numbers, such as q.data")
    try:
        return np.asarray(q, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"{who}: q must be a number or an array of numbers, not {describe(q)}") from None


def positions(q: np.ndarray, count: int, method: str) -> np.ndarray:
    """Return where the quantiles of `count` sorted elements are: between two of them, a fraction."""
    return np.asarray(np.quantile(np.arange(count, dtype=np.float64), q, method=method))  # pyright: ignore[reportCallIssue, reportArgumentType]


def check_levels(q, method: str, who: str) -> np.ndarray:
    """Return the levels of quantiles as an array, or explain what is wrong with them."""
    levels = as_levels(q, who)
    if not ((levels >= 0) & (levels <= 1)).all():
        top = 100 if who.endswith("percentile") else 1
        raise ArgumentError(f"{who}: q must be from 0 to {top}, not {describe(q)}")
    if method not in METHODS:
        raise ArgumentError(f"{who}: method must be one of {', '.join(METHODS)}, not {describe(method)}")
    return levels


def _quantile(x, q, axis: Axis, keepdims: bool, method: str, who: str) -> "Tensor":
    levels = check_levels(q, method, who)
    shape = shape_of(as_operand(x))
    x, axes = axes_together(x, axis, who)
    at = positions(levels.ravel(), shape_of(x)[-1], method)
    x = sort(x)
    data = data_of(x)
    m = common_backend([data], who)
    # NaN is sorted to the end; where there is one, every quantile is NaN, and its gradient goes there
    has_nan = data[..., -1:] != data[..., -1:]
    last = shape_of(x)[-1] - 1

    def element(places):
        places = m.from_numpy(places.astype(np.int64))
        return take_along_axis(x, m.xp.where(has_nan, last, places), -1)

    found = between(element(np.floor(at)), lambda: element(np.ceil(at)), at % 1.0)
    return in_place_of_axes(found, levels.shape, shape, axes, keepdims)


def between(low, high, weight: np.ndarray) -> "Tensor":
    """Return low + weight (high - low); `high()` is computed only if a weight is not zero."""
    if not weight.any():
        return low
    return where(weight == 0, low, ops.add(low, ops.mul(ops.sub(high(), low), like(low, weight))))


def in_place_of_axes(found, levels: tuple[int, ...], shape, axes: tuple[int, ...], keepdims: bool) -> "Tensor":
    """Return quantiles, which are along the last axis, with the axes of the levels first."""
    found = moveaxis(found, -1, 0)
    rest = keepdims_shape(shape, axes) if keepdims else tuple(n for i, n in enumerate(shape) if i not in axes)
    return reshape(found, (*levels, *rest))


def ptp(x, axis: Axis = None, keepdims: bool = False) -> "Tensor":
    """Return the difference between the largest and the smallest element.

    >>> from adjoint import Value, ptp
    >>> x = Value([1.0, 5.0, 3.0])
    >>> y = ptp(x)
    >>> y.backward()
    >>> y.item(), x.grad
    (4.0, array([-1.,  1.,  0.]))
    """
    return ops.sub(reductions.max(x, axis, keepdims), reductions.min(x, axis, keepdims))


def average(x, axis: Axis = None, weights=None, returned: bool = False, *, keepdims: bool = False) -> Any:
    """Return the average, weighted if weights are given; with `returned`, also the sum of the weights.

    The weights have the shape of the array, or are one for each element along the axis. They have gradients too.

    >>> from adjoint import Value, average
    >>> average(Value([1.0, 2.0]), weights=[3.0, 1.0]).item()
    1.25
    """
    x = as_operand(x)
    shape = shape_of(x)
    if weights is None:
        found = reductions.mean(x, axis, keepdims)
        count = math.prod(shape) // max(math.prod(shape_of(found)), 1)
        return (found, like(found, np.full(shape_of(found), float(count)))) if returned else found
    weights = _as_weights(as_operand(weights), shape, axis)
    total = reductions.sum(broadcast_to(weights, shape), axis, keepdims)
    found = ops.div(reductions.sum(ops.mul(x, weights), axis, keepdims), total)
    return (found, total) if returned else found


def _as_weights(weights, shape: tuple[int, ...], axis: Axis) -> "Tensor":
    given = shape_of(weights)
    if given == shape:
        return weights
    axes = all_axes(axis, len(shape), "average") if axis is not None else ()
    if given != tuple(shape[i] for i in axes) or not axes:
        raise ShapeError(
            f"average: weights of shape {given} fit neither the array of shape {shape} nor its axis {axis}"
        )
    order = sorted(range(len(axes)), key=axes.__getitem__)
    return reshape(permute_dims(weights, order), tuple(n if i in axes else 1 for i, n in enumerate(shape)))


def cov(
    x,
    y=None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: float | None = None,
    fweights=None,
    aweights=None,
    *,
    correction: float | None = None,
) -> "Tensor":
    """Return the covariance matrix of variables, each a row of `x`; or a column, unless `rowvar`. As NumPy does.

    The sum of products is divided by the count less `ddof`, PyTorch's `correction`, which is 1, or 0 with `bias`.
    `fweights` are counts of the observations, `aweights` their weights.

    >>> from adjoint import Value, cov
    >>> cov(Value([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]])).data
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    x, ddof = _variables(x, rowvar), either("cov", "ddof", ddof, "correction", correction)
    if y is not None:
        x = concat([x, _variables(y, rowvar)], 0)
    count = shape_of(x)[1]
    left: Any = (0.0 if bias else 1.0) if ddof is None else float(ddof)
    weights = None
    if fweights is None and aweights is None:
        left = count - left
    else:
        weights = _observation_weights(x, fweights, "fweights")
        own = _observation_weights(x, aweights, "aweights")
        both = weights * own
        total = reductions.sum(both)
        left = total - left * (reductions.sum(both * own) / total if aweights is not None else 1.0)
        weights = both
    mean = average(x, 1, weights, keepdims=True)
    deviation = ops.sub(x, mean)
    weighted = deviation if weights is None else ops.mul(deviation, weights)
    sums = products.matmul(weighted, matrix_transpose(deviation))
    found = sums * math.inf if isinstance(left, float) and left <= 0 else sums / left
    return reshape(found, ()) if shape_of(found) == (1, 1) else found


def _variables(x, rowvar: bool) -> "Tensor":
    x = as_operand(x)
    shape = shape_of(x)
    if len(shape) > 2:
        raise ShapeError(f"cov needs variables as a vector or a matrix, not an array of shape {shape}")
    x = reshape(x, (1, math.prod(shape))) if len(shape) < 2 else x
    return matrix_transpose(x) if not rowvar and len(shape) == 2 else x


def _observation_weights(x, weights, name: str) -> "Value | Array":
    count = shape_of(x)[1]
    if weights is None:
        return like(x, np.ones(count))
    weights = as_operand(weights)
    if shape_of(weights) != (count,):
        raise ShapeError(f"cov: {name} must be one for each of the {count} observations, not {describe(weights)}")
    known = data_of(weights)
    m = common_backend([known], "cov")
    if not m.is_traced(known) and bool((known < 0).any()):
        raise ArgumentError(f"cov: {name} must be at least 0, not {describe(weights)}")
    if name == "fweights" and not m.is_traced(known) and bool((known % 1 != 0).any()):
        raise ArgumentError(f"cov: fweights are counts, whole numbers, not {describe(weights)}")
    return weights if isinstance(weights, Value) else like(x, weights)


def corrcoef(x, y=None, rowvar: bool = True) -> "Tensor":
    """Return the correlation coefficients of variables, each a row of `x`; or a column, unless `rowvar`.

    >>> from adjoint import Value, corrcoef
    >>> corrcoef(Value([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]])).data.round(6)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    c = cov(x, y, rowvar)
    if not shape_of(c):
        return ops.div(c, c)
    deviations = ops.sqrt(indexing.diagonal(c))
    return clip(c / expand_dims(deviations, 1) / expand_dims(deviations, 0), -1.0, 1.0)


def std_mean(
    x, axis: Axis = None, correction: float | None = None, keepdims: bool = False, **in_torch: Any
) -> tuple["Tensor", "Tensor"]:
    """Return the standard deviation and the mean; the correction is that of `std`.

    >>> from adjoint import Value, std_mean
    >>> [x.item() for x in std_mean(Value([1.0, 5.0]))]
    [2.0, 3.0]
    """
    return reductions.std(x, axis, correction, keepdims, **in_torch), _mean(x, axis, keepdims, **in_torch)


def var_mean(
    x, axis: Axis = None, correction: float | None = None, keepdims: bool = False, **in_torch: Any
) -> tuple["Tensor", "Tensor"]:
    """Return the variance and the mean; the correction is that of `var`.

    >>> from adjoint import Value, var_mean
    >>> [x.item() for x in var_mean(Value([1.0, 5.0]))]
    [4.0, 3.0]
    """
    return reductions.var(x, axis, correction, keepdims, **in_torch), _mean(x, axis, keepdims, **in_torch)


def _mean(x, axis: Axis, keepdims: bool, dim: Axis = None, keepdim: bool | None = None, unbiased=None) -> "Tensor":
    return reductions.mean(x, axis, keepdims, dim=dim, keepdim=keepdim)
