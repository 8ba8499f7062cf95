"""Reductions along one axis, several axes or all of them, and softmax.

They follow PyTorch at ties and edges: equal maxima share the gradient, and the norm of zeros has the gradient zero.
Called with `dim` in place of `axis`, they return what PyTorch returns: `max` the indices too, and `std` divides by one
less than the count.
"""

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from adjoint.arrays.apply import apply_array_op, array_back
from adjoint.arrays.array_rule import ArrayOp, array_op
from adjoint.arrays.axes import Axis, all_axes, either, either_axis, either_keepdims, keepdims_shape, one_axis, shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions.shaping import along, astype, counts_numbers, flatten, moveaxis, permute_dims, reshape
from adjoint.engine import late
from adjoint.engine.native import twin
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import is_array, number

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor

# In the rules `axis` is a tuple of axes counted from the front.


def _spread(m, g, x, axis, keepdims):
    """Return a gradient, or the result, of a reduction in a shape that broadcasts against its operand."""
    return g if keepdims or not g.shape else m.reshape(g, keepdims_shape(x.shape, axis))


def _count(x, axis) -> int:
    return math.prod([x.shape[i] for i in axis])


def _per_freedom(sums, x, axis, correction):
    """Return sums divided by the count less the correction; by zero where nothing is left, as NumPy and PyTorch do."""
    left = _count(x, axis) - correction
    return sums / left if left > 0 else sums * math.inf


_sum = array_op(
    "sum",
    lambda m, x, axis, keepdims: m.sum(x, axis=axis, keepdims=keepdims),
    lambda m, g, y, x, axis, keepdims: m.broadcast_to(_spread(m, g, x, axis, keepdims), x.shape),
    linear="jointly",
    keeps_integers=True,
)
_mean = array_op(
    "mean",
    lambda m, x, axis, keepdims: m.mean(x, axis=axis, keepdims=keepdims),
    lambda m, g, y, x, axis, keepdims: m.broadcast_to(_spread(m, g, x, axis, keepdims) / _count(x, axis), x.shape),
    linear="jointly",
    wide=True,
)


def _share(m, y, x, axis, keepdims):
    """Return the share of each element in an extremum: all of it, or an equal part where several are extreme."""
    ties = m.select(m.equal(x, _spread(m, y, x, axis, keepdims)), 1.0, 0.0, x)
    return ties / m.sum(ties, axis=axis, keepdims=True)


def _extremum(name: str):
    return array_op(
        name,
        lambda m, x, axis, keepdims: getattr(m, name)(x, axis=axis, keepdims=keepdims),
        lambda m, g, y, x, axis, keepdims: _share(m, y, x, axis, keepdims) * _spread(m, g, x, axis, keepdims),
        jvp=lambda m, ts, y, x, axis, keepdims: m.sum(
            _share(m, y, x, axis, keepdims) * ts[0], axis=axis, keepdims=keepdims
        ),
        reads="xy",
        keeps_integers=True,
    )


_max, _min = _extremum("max"), _extremum("min")


def _others(m, x):
    """Return, for each element of the last axis, the product of all others, without division, so zeros are allowed."""
    one = m.ones_like(x[..., :1])
    before = m.cumulative_prod(m.concat([one, x[..., :-1]], axis=-1), axis=-1)
    after = m.flip(m.cumulative_prod(m.concat([one, m.flip(x, axis=-1)[..., :-1]], axis=-1), axis=-1), axis=-1)
    return before * after


_prod_last = array_op(
    "prod",
    lambda m, x: m.prod(x, axis=-1),
    lambda m, g, y, x: _others(m, x) * m.expand_dims(g, axis=-1),
    jvp=lambda m, ts, y, x: m.sum(_others(m, x) * ts[0], axis=-1),
    reads="x",
    wide=True,
    keeps_integers=True,
)


def _deviation(m, x, axis):
    return x - m.mean(x, axis=axis, keepdims=True)


def _mean_square_deviation(m, x, axis, correction, keepdims):
    return _per_freedom(m.sum(_deviation(m, x, axis) ** 2, axis=axis, keepdims=keepdims), x, axis, correction)


_var = array_op(
    "var",
    lambda m, x, axis, correction, keepdims: _mean_square_deviation(m, x, axis, correction, keepdims),
    lambda m, g, y, x, axis, correction, keepdims: (
        _deviation(m, x, axis) * _spread(m, g, x, axis, keepdims) * _per_freedom(2.0, x, axis, correction)
    ),
    jvp=lambda m, ts, y, x, axis, correction, keepdims: (
        m.sum(_deviation(m, x, axis) * ts[0], axis=axis, keepdims=keepdims) * _per_freedom(2.0, x, axis, correction)
    ),
    reads="x",
    wide=True,
)


def _over_norm(m, x, y):
    """Return x / y, and 0 where y is 0: there x is 0 as well, and the slope has no direction."""
    zero = m.equal(y, 0)
    return m.where(m.broadcast_to(zero, x.shape), 0.0, x / m.where(zero, 1.0, y))


_std = array_op(
    "std",
    lambda m, x, axis, correction, keepdims: m.sqrt(_mean_square_deviation(m, x, axis, correction, keepdims)),
    lambda m, g, y, x, axis, correction, keepdims: (
        _over_norm(m, _deviation(m, x, axis), _spread(m, y, x, axis, keepdims))
        * _per_freedom(_spread(m, g, x, axis, keepdims), x, axis, correction)
    ),
    jvp=lambda m, ts, y, x, axis, correction, keepdims: _per_freedom(
        m.sum(
            _over_norm(m, _deviation(m, x, axis), _spread(m, y, x, axis, keepdims)) * ts[0],
            axis=axis,
            keepdims=keepdims,
        ),
        x,
        axis,
        correction,
    ),
    reads="xy",
    wide=True,
)

euclidean_norm = array_op(
    "norm",
    lambda m, x, axis, keepdims: m.sqrt(m.sum(x * x, axis=axis, keepdims=keepdims)),
    lambda m, g, y, x, axis, keepdims: (
        _over_norm(m, x, _spread(m, y, x, axis, keepdims)) * _spread(m, g, x, axis, keepdims)
    ),
    jvp=lambda m, ts, y, x, axis, keepdims: m.sum(
        _over_norm(m, x, _spread(m, y, x, axis, keepdims)) * ts[0], axis=axis, keepdims=keepdims
    ),
    reads="xy",
    wide=True,
)


def _finite_max(m, x, axis):
    """Return the maximum, and 0 where it is infinite: subtracting it leaves infinities as they are."""
    if not _count(x, axis):
        return 0.0
    top = m.max(x, axis=axis, keepdims=True)
    return m.where(m.abs(top) < math.inf, top, 0.0)


def _log_sum_exp(m, x, axis, keepdims):
    top = _finite_max(m, x, axis)
    y = m.log(m.sum(m.exp(x - top), axis=axis, keepdims=True)) + top
    return y if keepdims else m.reshape(y, [size for i, size in enumerate(x.shape) if i not in axis])


def _weights(m, y, x, axis, keepdims):
    """Return softmax, given logsumexp."""
    return m.exp(x - _spread(m, y, x, axis, keepdims))


_logsumexp = array_op(
    "logsumexp",
    lambda m, x, axis, keepdims: _log_sum_exp(m, x, axis, keepdims),
    lambda m, g, y, x, axis, keepdims: _weights(m, y, x, axis, keepdims) * _spread(m, g, x, axis, keepdims),
    jvp=lambda m, ts, y, x, axis, keepdims: m.sum(
        _weights(m, y, x, axis, keepdims) * ts[0], axis=axis, keepdims=keepdims
    ),
    reads="xy",
    wide=True,
)


def _softmax_forward(m, x, axis):
    if not _count(x, axis):
        return m.exp(x)
    e = m.exp_of_own(x - m.max(x, axis=axis, keepdims=True))
    e /= m.sum(e, axis=axis, keepdims=True)
    return e


_softmax = array_op(
    "softmax",
    _softmax_forward,
    lambda m, g, y, x, axis: y * (g - m.sum(g * y, axis=axis, keepdims=True)),
    jvp=lambda m, ts, y, x, axis: y * (ts[0] - m.sum(ts[0] * y, axis=axis, keepdims=True)),
    reads="y",
    wide=True,
)


def _log_softmax_forward(m, x, axis):
    if not _count(x, axis):
        return m.exp(x)
    shifted = x - m.max(x, axis=axis, keepdims=True)
    shifted -= m.log(m.sum(m.exp(shifted), axis=axis, keepdims=True))
    return shifted


_log_softmax = array_op(
    "log_softmax",
    _log_softmax_forward,
    lambda m, g, y, x, axis: g - m.exp(y) * m.sum(g, axis=axis, keepdims=True),
    jvp=lambda m, ts, y, x, axis: ts[0] - m.sum(m.exp(y) * ts[0], axis=axis, keepdims=True),
    reads="y",
    wide=True,
)

_cumsum = array_op(
    "cumsum",
    lambda m, x, axis: m.cumulative_sum(x, axis=axis),
    lambda m, g, y, x, axis: m.flip(m.cumulative_sum(m.flip(g, axis=axis), axis=axis), axis=axis),
    linear="jointly",
    wide=True,
    keeps_integers=True,
)


def _between(m, x):
    """Return P[…, i, k], the product of the elements after i up to k along the last axis; 0 for k < i."""
    n = x.shape[-1]
    rows = m.broadcast_to(m.expand_dims(x, axis=-2), (*x.shape, n))
    after = m.where(m.upper_triangle(n, 1, x), rows, 1.0)
    return m.where(m.upper_triangle(n, 0, x), m.cumulative_prod(after, axis=-1), 0.0)


def _product_before(m, x):
    one = m.ones_like(x[..., :1])
    return m.cumulative_prod(m.concat([one, x[..., :-1]], axis=-1), axis=-1)


_cumprod_last = array_op(
    "cumprod",
    lambda m, x: m.cumulative_prod(x, axis=-1),
    lambda m, g, y, x: _product_before(m, x) * m.sum(_between(m, x) * m.expand_dims(g, axis=-2), axis=-1),
    jvp=lambda m, ts, y, x: m.sum(_between(m, x) * m.expand_dims(_product_before(m, x) * ts[0], axis=-1), axis=-2),
    reads="x",
    wide=True,
    keeps_integers=True,
)


# --- the functions ---------------------------------------------------------------------------------------


_WHOLE = [{"axis": tuple(range(ndim)), "keepdims": False} for ndim in range(65)]  # as many axes as NumPy has
_ALONG = [[{"axis": (axis,), "keepdims": keepdims} for axis in range(64)] for keepdims in (False, True)]


class _Reduction(Protocol):
    """The type of `sum` and its relatives; with the native core they are objects of C."""

    def __call__(
        self,
        x: Any,
        axis: Axis = None,
        keepdims: bool = False,
        *,
        dtype: object = None,
        dim: Axis = None,
        keepdim: bool | None = None,
    ) -> "Tensor": ...


def _reduce(op: ArrayOp, name: str, doc: str) -> _Reduction:
    is_extremum = name in ("max", "min")

    def reduction(
        x, axis: Axis = None, keepdims: bool = False, *, dtype=None, dim: Axis = None, keepdim: bool | None = None
    ) -> "Tensor":
        if dim is not None or keepdim is not None:
            axis, keepdims = either_axis(name, axis, dim), either_keepdims(name, keepdims, keepdim)
            if dim is not None and is_extremum:
                return _with_indices(name, x, dim, keepdims)
        if dtype is not None:
            x = astype(as_operand(x), dtype)
        if axis is None and not keepdims and not is_extremum and isinstance(x, Value):
            return apply_array_op(op, (x,), _WHOLE[len(x._data.shape) if x._is_array else 0])  # the common case
        x = as_operand(x)
        shape = shape_of(x)
        if is_extremum and is_array(axis) and len(shape_of(axis)):
            raise ArgumentError(f"{name}: the second argument is an axis; {name}imum(x, z) compares two arrays")
        axes = all_axes(axis, len(shape), name)
        if is_extremum and 0 in [shape[i] for i in axes]:
            along = "" if axis is None else f" along axis {axis}"
            raise ShapeError(f"{name} of an empty array: the shape {shape} has no elements{along}")
        return op(x, axis=axes, keepdims=bool(keepdims))

    reduction.__name__ = reduction.__qualname__ = name
    reduction.__doc__ = doc
    if op not in (_sum, _mean, _max, _min):
        return reduction
    return twin("reduction", reduction, name, reduction, op, (_WHOLE, *_ALONG), array_back)


class ValuesAndIndices(NamedTuple):
    """What PyTorch's `max`, `min` and `sort` return along a dimension: `values, indices = x.max(dim=1)`."""

    values: "Tensor"
    indices: Any


def _with_indices(name: str, x, dim, keepdims: bool) -> Any:
    """Return the extreme elements and where they are; as in PyTorch, the one at the index receives the gradient."""
    x = as_operand(x)
    shape = shape_of(x)
    x = x if shape else flatten(x)
    axis = one_axis(dim, len(shape_of(x)), name)
    indices = _position(f"arg{name}", x, axis, True)
    values = late.take_along_axis(x, indices, axis)
    return values_and_indices(values, indices, shape, axis, keepdims)


def values_and_indices(values, indices, shape: tuple[int, ...], axis: int, keepdims: bool) -> ValuesAndIndices:
    """Return one element of each line of an array of this shape, and its index, with or without the axis."""
    shape = keepdims_shape(shape, (axis,)) if keepdims else tuple(size for i, size in enumerate(shape) if i != axis)
    return ValuesAndIndices(reshape(values, shape), indices.reshape(shape))


sum = _reduce(
    _sum,
    "sum",
    """Return the sum of the elements, along `axis` or of all; computed in `dtype`, if one is given.

    >>> from adjoint import Value, sum
    >>> sum(Value([[1.0, 2.0], [3.0, 4.0]]), axis=0).data
    array([4., 6.])
    """,
)
mean = _reduce(
    _mean,
    "mean",
    """Return the mean of the elements, along `axis` or of all.

    >>> from adjoint import Value, mean
    >>> x = Value([[1.0, 2.0], [3.0, 6.0]])
    >>> mean(x).item(), mean(x, axis=0).data, mean(x, axis=1, keepdims=True).tolist()
    (3.0, array([2., 4.]), [[1.5], [4.5]])
    """,
)
max = _reduce(
    _max,
    "max",
    """Return the largest element; the gradient is shared where it occurs several times.

    >>> from adjoint import Value, max
    >>> x = Value([2.0, 3.0, 3.0])
    >>> y = max(x)
    >>> y.backward()
    >>> y.item(), x.grad
    (3.0, array([0. , 0.5, 0.5]))
    """,
)
min = _reduce(
    _min,
    "min",
    """Return the smallest element; the gradient is shared where it occurs several times.

    >>> from adjoint import Value, min
    >>> x = Value([[1.0, 5.0], [7.0, 3.0]])
    >>> min(x).item(), min(x, axis=1).data
    (1.0, array([1., 3.]))
    """,
)
logsumexp = _reduce(
    _logsumexp,
    "logsumexp",
    """Return log(sum(exp(x))), computed so that nothing overflows.

    >>> import math
    >>> from adjoint import Value, logsumexp
    >>> logsumexp(Value([1000.0, 1000.0])).item() == 1000.0 + math.log(2)
    True
    """,
)


def given_correction(
    name: str,
    correction: float | None,
    ddof: float | None = None,
    unbiased: bool | None = None,
    as_torch: bool = False,
) -> float:
    """Return what is subtracted from the count, given under one of three names.

    The default is NumPy's 0, and PyTorch's 1 for a call in PyTorch's words.
    """
    if correction is None or ddof:  # NumPy passes ddof=0 with a correction
        correction = either(name, "correction", correction, "ddof", ddof)
    correction = either(name, "correction", correction, "unbiased", unbiased)
    return number(int(as_torch) if correction is None else correction, f"{name}: correction")


def _spread_statistic(op: ArrayOp, name: str, doc: str):
    def statistic(
        x,
        axis: Axis = None,
        correction: float | None = None,
        keepdims: bool = False,
        ddof: float | None = None,
        *,
        dim: Axis = None,
        keepdim: bool | None = None,
        unbiased: bool | None = None,
    ) -> "Tensor":
        x = as_operand(x)
        correction = given_correction(name, correction, ddof, unbiased, dim is not None)
        axis, keepdims = either_axis(name, axis, dim), either_keepdims(name, keepdims, keepdim)
        return op(x, axis=all_axes(axis, len(shape_of(x)), name), correction=correction, keepdims=bool(keepdims))

    statistic.__name__ = statistic.__qualname__ = name
    statistic.__doc__ = doc
    return statistic


var = _spread_statistic(
    _var,
    "var",
    """Return the variance; `correction=1` (NumPy's `ddof`) divides by one less than the count.

    >>> from adjoint import Value, var
    >>> var(Value([1.0, 5.0])).item(), var(Value([1.0, 5.0]), correction=1).item()
    (4.0, 8.0)
    """,
)
std = _spread_statistic(
    _std,
    "std",
    """Return the standard deviation; `correction=1` (NumPy's `ddof`) divides by one less than the count.

    >>> from adjoint import Value, std
    >>> std(Value([1.0, 5.0])).item(), std(Value([1.0, 3.0, 5.0]), correction=1).item()
    (2.0, 2.0)
    """,
)


def prod(
    x, axis: Axis = None, keepdims: bool = False, *, dtype=None, dim: Axis = None, keepdim: bool | None = None
) -> "Tensor":
    """Return the product of the elements, along `axis` or of all; gradients are correct for zeros.

    >>> from adjoint import Value, prod
    >>> x = Value([2.0, 3.0, 4.0])
    >>> y = prod(x)
    >>> y.backward()
    >>> y.item(), x.grad
    (24.0, array([12.,  8.,  6.]))
    """
    axis, keepdims = either_axis("prod", axis, dim), either_keepdims("prod", keepdims, keepdim)
    x = as_operand(x) if dtype is None else astype(as_operand(x), dtype)
    shape = shape_of(x)
    axes = all_axes(axis, len(shape), "prod")
    rest = [i for i in range(len(shape)) if i not in axes]
    if not axes:
        return _prod_last(reshape(x, (*shape, 1)))  # of small integers the product has more bits
    if axes != (len(shape) - 1,):
        x = permute_dims(x, (*rest, *axes))
        x = reshape(x, (*[shape[i] for i in rest], math.prod([shape[i] for i in axes])))
    y = _prod_last(x)
    return reshape(y, keepdims_shape(shape, axes)) if keepdims else y


@counts_numbers
def cumsum(x, axis: int | None = None, *, dtype=None, dim: int | None = None) -> "Tensor":
    """Return the cumulative sums along an axis; of the flattened array if no axis is given.

    >>> from adjoint import Value, cumsum
    >>> x = Value([1.0, 2.0, 3.0])
    >>> y = cumsum(x)
    >>> y.sum().backward()
    >>> y.data, x.grad
    (array([1., 3., 6.]), array([3., 2., 1.]))
    """
    axis = either_axis("cumsum", axis, dim)
    x, axis = along(as_operand(x) if dtype is None else astype(as_operand(x), dtype), axis, "cumsum")
    return _cumsum(x, axis=axis)


@counts_numbers
def cumprod(x, axis: int | None = None, *, dtype=None, dim: int | None = None) -> "Tensor":
    """Return the cumulative products along an axis. The gradient needs memory quadratic in the size of the axis.

    >>> from adjoint import Value, cumprod
    >>> cumprod(Value([1.0, 2.0, 3.0, 4.0])).data
    array([ 1.,  2.,  6., 24.])
    """
    axis = either_axis("cumprod", axis, dim)
    x, axis = along(as_operand(x) if dtype is None else astype(as_operand(x), dtype), axis, "cumprod")
    if axis == len(shape_of(x)) - 1:
        return _cumprod_last(x)
    return moveaxis(_cumprod_last(moveaxis(x, axis, -1)), -1, axis)


def softmax(x, axis: Axis = -1, *, dim: Axis = None, dtype=None) -> "Tensor":
    """Return exp(x) divided by its sum along an axis; computed in `dtype`, if one is given.

    >>> from adjoint import Value, softmax
    >>> softmax(Value([0.0, 0.0])).data
    array([0.5, 0.5])
    """
    x = as_operand(x) if dtype is None else astype(as_operand(x), dtype)
    if dim is not None:
        axis = either_axis("softmax", axis, dim, -1)
    return _softmax(x, axis=_some(x, axis, "softmax"))


def log_softmax(x, axis: Axis = -1, *, dim: Axis = None, dtype=None) -> "Tensor":
    """Return the logarithm of softmax, computed without loss of precision, in `dtype` if one is given.

    >>> from adjoint import Value, log_softmax
    >>> log_softmax(Value([0.0, 1000.0])).data
    array([-1000.,     0.])
    """
    x = as_operand(x) if dtype is None else astype(as_operand(x), dtype)
    if dim is not None:
        axis = either_axis("log_softmax", axis, dim, -1)
    return _log_softmax(x, axis=_some(x, axis, "log_softmax"))


_LAST = [{"axis": (ndim - 1,)} for ndim in range(65)]
softmax = twin("softmax_node", softmax, False, softmax, _softmax, _LAST, array_back)
log_softmax = twin("softmax_node", log_softmax, True, log_softmax, _log_softmax, _LAST, array_back)


def _some(x, axis, who: str) -> tuple[int, ...]:
    shape = shape_of(x)
    return all_axes(axis, len(shape), who) if shape else ()


def argmax(
    x, axis: int | None = None, keepdims: bool = False, *, dim: int | None = None, keepdim: bool | None = None
) -> Any:
    """Return the index of the largest element, as plain integers without a gradient.

    >>> from adjoint import Value, argmax
    >>> argmax(Value([[1.0, 5.0], [7.0, 3.0]]), axis=1)
    array([1, 0])
    """
    return _position("argmax", x, either_axis("argmax", axis, dim), either_keepdims("argmax", keepdims, keepdim))


def argmin(
    x, axis: int | None = None, keepdims: bool = False, *, dim: int | None = None, keepdim: bool | None = None
) -> Any:
    """Return the index of the smallest element, as plain integers without a gradient.

    >>> from adjoint import Value, argmin
    >>> argmin(Value([[1.0, 5.0], [7.0, 3.0]]), axis=1)
    array([0, 1])
    """
    return _position("argmin", x, either_axis("argmin", axis, dim), either_keepdims("argmin", keepdims, keepdim))


def _position(name: str, x, axis, keepdims: bool):
    x = data_of(as_operand(x))
    shape = shape_of(x)
    if axis is not None:
        axis = one_axis(axis, len(shape) or 1, name)
        axis = axis if shape else None
    if 0 in (shape if axis is None else (shape[axis],)):
        along = "" if axis is None else f" along axis {axis}"
        raise ShapeError(f"{name} of an empty array: the shape {shape} has no elements{along}")
    m = common_backend([x], name)
    return getattr(m, name)(m.xp.asarray(x), axis=axis, keepdims=bool(keepdims))
