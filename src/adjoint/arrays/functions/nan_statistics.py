"""Reductions that leave out NaN, as NumPy's functions of these names do. NaN itself receives the gradient zero."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.axes import Axis, either, either_axis, either_keepdims, shape_of
from adjoint.arrays.backends import are_integers, common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import reductions
from adjoint.arrays.functions.indexing import take_along_axis, where
from adjoint.arrays.functions.norms import norm
from adjoint.arrays.functions.shaping import reshape
from adjoint.arrays.functions.sorting import sort
from adjoint.arrays.functions.statistics import (
    as_levels,
    axes_together,
    check_levels,
    in_place_of_axes,
    lower_median,
    positions,
)
from adjoint.engine import ops

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def _without(x, instead: float) -> "Tensor":
    """Return an array with another number in the place of NaN."""
    x = x if hasattr(data_of(x), "dtype") else reshape(x, ())
    data = data_of(x)
    if are_integers([data]):
        return x
    return where(data != data, instead, x)


def _counts(x, axis: Axis, keepdims: bool) -> "Tensor":
    """Return how many elements are not NaN, in the dtype of the array."""
    data = data_of(as_operand(x))
    m = common_backend([data], "nanmean")
    data = m.xp.asarray(data)
    dtype = data.dtype if m.is_floating(data.dtype) else m.default_float()
    return reductions.sum(m.astype(data == data, dtype), axis, keepdims)


def nansum(x, axis: Axis = None, keepdims: bool = False, *, dim: Axis = None, keepdim: bool | None = None) -> "Tensor":
    """Return the sum of the elements that are not NaN.

    >>> from adjoint import Value, nansum
    >>> nansum(Value([1.0, float("nan"), 2.0])).item()
    3.0
    """
    return reductions.sum(_without(as_operand(x), 0.0), axis, keepdims, dim=dim, keepdim=keepdim)


def nanprod(x, axis: Axis = None, keepdims: bool = False) -> "Tensor":
    """Return the product of the elements that are not NaN.

    >>> from adjoint import Value, nanprod
    >>> nanprod(Value([2.0, float("nan"), 3.0])).item()
    6.0
    """
    return reductions.prod(_without(as_operand(x), 1.0), axis, keepdims)


def nancumsum(x, axis: int | None = None) -> "Tensor":
    """Return the cumulative sums with NaN counted as 0.

    >>> from adjoint import Value, nancumsum
    >>> nancumsum(Value([1.0, float("nan"), 3.0])).data
    array([1., 1., 4.])
    """
    return reductions.cumsum(_without(as_operand(x), 0.0), axis)


def nancumprod(x, axis: int | None = None) -> "Tensor":
    """Return the cumulative products with NaN counted as 1.

    >>> from adjoint import Value, nancumprod
    >>> nancumprod(Value([2.0, float("nan"), 3.0])).data
    array([2., 2., 6.])
    """
    return reductions.cumprod(_without(as_operand(x), 1.0), axis)


def nanmean(x, axis: Axis = None, keepdims: bool = False, *, dim: Axis = None, keepdim: bool | None = None) -> "Tensor":
    """Return the mean of the elements that are not NaN; NaN where there are none.

    >>> from adjoint import Value, nanmean
    >>> x = Value([1.0, float("nan"), 3.0])
    >>> y = nanmean(x)
    >>> y.backward()
    >>> y.item(), x.grad
    (2.0, array([0.5, 0. , 0.5]))
    """
    axis, keepdims = either_axis("nanmean", axis, dim), either_keepdims("nanmean", keepdims, keepdim)
    return ops.div(nansum(x, axis, keepdims), _counts(x, axis, keepdims))


def nanmax(x, axis: Axis = None, keepdims: bool = False) -> "Tensor":
    """Return the largest element that is not NaN; NaN where there are none.

    >>> from adjoint import Value, nanmax
    >>> nanmax(Value([1.0, float("nan"), 3.0])).item()
    3.0
    """
    return _extremum(reductions.max, -math.inf, x, axis, keepdims)


def nanmin(x, axis: Axis = None, keepdims: bool = False) -> "Tensor":
    """Return the smallest element that is not NaN; NaN where there are none.

    >>> from adjoint import Value, nanmin
    >>> nanmin(Value([1.0, float("nan"), 3.0])).item()
    1.0
    """
    return _extremum(reductions.min, math.inf, x, axis, keepdims)


def _extremum(extremum, instead: float, x, axis: Axis, keepdims: bool) -> "Tensor":
    x = as_operand(x)
    found = extremum(_without(x, instead), axis, keepdims)
    if are_integers([data_of(x)]):
        return found
    return where(_counts(x, axis, keepdims) > 0, found, math.nan)


def nanvar(x, axis: Axis = None, correction: float | None = None, keepdims: bool = False, ddof=None) -> "Tensor":
    """Return the variance of the elements that are not NaN; NaN where no more are left than the correction.

    >>> from adjoint import Value, nanvar
    >>> nanvar(Value([1.0, float("nan"), 5.0])).item()
    4.0
    """
    deviation, left = _deviation(x, axis, reductions.given_correction("nanvar", correction, ddof), keepdims, "nanvar")
    return ops.div(reductions.sum(ops.square(deviation), axis, keepdims), left)


def nanstd(x, axis: Axis = None, correction: float | None = None, keepdims: bool = False, ddof=None) -> "Tensor":
    """Return the standard deviation of the elements that are not NaN.

    >>> from adjoint import Value, nanstd
    >>> nanstd(Value([1.0, float("nan"), 5.0])).item()
    2.0
    """
    deviation, left = _deviation(x, axis, reductions.given_correction("nanstd", correction, ddof), keepdims, "nanstd")
    return ops.div(norm(deviation, None, axis, keepdims), ops.sqrt(left))


def _deviation(x, axis: Axis, correction: float, keepdims: bool, who: str) -> "tuple[Tensor, Tensor]":
    x = as_operand(x)
    left = _counts(x, axis, keepdims) - correction
    x = x if hasattr(data_of(x), "dtype") else reshape(x, ())
    data = data_of(x)  # the deviation of an infinity is NaN too, and stays so
    deviation = where(data != data, 0.0, ops.sub(x, nanmean(x, axis, keepdims=True)))
    return deviation, where(left > 0, left, math.nan)


def nanmedian(
    x, axis: Axis = None, keepdims: bool = False, *, dim: int | None = None, keepdim: bool | None = None
) -> Any:
    """Return the median of the elements that are not NaN, as NumPy does; NaN where there are none.

    With `dim` in place of `axis`, return the lower of the middle two and its index, as PyTorch does.

    >>> from adjoint import Value, nanmedian
    >>> nanmedian(Value([5.0, float("nan"), 1.0, 2.0])).item()
    2.0
    """
    axis, keepdims = either_axis("nanmedian", axis, dim), either_keepdims("nanmedian", keepdims, keepdim)
    if dim is not None:
        return lower_median(x, dim, keepdims, "nanmedian")
    return _nan_quantile(x, 0.5, axis, keepdims, "linear", "nanmedian")


def nanquantile(
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
    """Return the q-th quantile of the elements that are not NaN; see `quantile`.

    Under `jit`, where the number of these elements is not known, `method` must be "linear".

    >>> from adjoint import Value, nanquantile
    >>> nanquantile(Value([1.0, float("nan"), 3.0]), [0.0, 0.5]).data
    array([1., 2.])
    """
    axis, keepdims = either_axis("nanquantile", axis, dim), either_keepdims("nanquantile", keepdims, keepdim)
    method = either("nanquantile", "method", method, "interpolation", interpolation, "linear")
    return _nan_quantile(x, q, axis, keepdims, method, "nanquantile")


def nanpercentile(x, q, axis: Axis = None, keepdims: bool = False, method: str = "linear") -> "Tensor":
    """Return the q-th percentile of the elements that are not NaN; see `quantile`.

    >>> from adjoint import Value, nanpercentile
    >>> nanpercentile(Value([1.0, float("nan"), 3.0]), 50).item()
    2.0
    """
    return _nan_quantile(x, as_levels(q, "nanpercentile") / 100.0, axis, keepdims, method, "nanpercentile")


def _nan_quantile(x, q, axis: Axis, keepdims: bool, method: str, who: str) -> "Tensor":
    levels = check_levels(q, method, who)
    shape = shape_of(as_operand(x))
    x, axes = axes_together(x, axis, who)
    x = sort(x)  # NaN goes to the end
    data = data_of(x)
    m = common_backend([data], who)
    integers, floats = m.arange(1, data).dtype, m.default_float()
    counts = m.xp.sum(m.astype(data == data, integers), axis=-1)[..., None]
    if method == "linear":
        at = m.from_numpy(levels.ravel()) * m.astype(m.xp.where(counts > 0, counts - 1, counts), floats)
    else:
        known = m.to_numpy(counts)
        at = np.zeros((*known.shape[:-1], levels.size))
        for count in np.unique(known[known > 0]):
            at[known[..., 0] == count] = positions(levels.ravel(), int(count), method)
        at = m.from_numpy(at)
    low = m.xp.floor(at)
    weight = m.astype(at - low, data.dtype)
    first, second = (take_along_axis(x, m.astype(places, integers), -1) for places in (low, m.xp.ceil(at)))
    found = where(weight == 0, first, ops.add(first, ops.mul(ops.sub(second, first), weight)))
    return in_place_of_axes(found, levels.shape, shape, axes, keepdims)
