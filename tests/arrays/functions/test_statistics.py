"""Statistics, with and without NaN, against PyTorch, NumPy and central differences."""

import math
import warnings

import numpy as np
import pytest
from arrays import FINITE_EDGES, Problem, as_tensor, case, jax_in_double, torch
from claims import claims
from closeness import require_close

import adjoint
from adjoint import Value
from adjoint.arrays.functions.statistics import METHODS
from adjoint.errors import ArgumentError, ShapeError

CASES: dict = {}


def together(t, axis):
    """Return a tensor whose last axis consists of the axes to reduce, and those axes."""
    axes = tuple(range(t.ndim)) if axis is None else tuple(a % t.ndim for a in np.atleast_1d(axis).tolist())
    rest = [i for i in range(t.ndim) if i not in axes]
    return t.permute((*rest, *axes)).reshape([*[t.shape[i] for i in rest], math.prod(t.shape[i] for i in axes)]), axes


def as_reduction(function, axis, keepdims: bool):
    def reduction(t):
        last, axes = together(t, axis)
        y = function(last)
        return y.reshape([1 if i in axes else n for i, n in enumerate(t.shape)]) if keepdims else y

    return reduction


def nan_mean(t):
    return t.nansum(-1) / (~t.isnan()).sum(-1)


def nan_var(t, correction=0.0):
    d = torch.where(t.isnan(), 0.0, t - nan_mean(t)[..., None])
    left = (~t.isnan()).sum(-1) - correction
    return (d * d).sum(-1) / torch.where(left > 0, left, math.nan)


def nan_std(t):
    v = nan_var(t)
    return torch.where(v == 0, 0.0, torch.where(v == 0, 1.0, v).sqrt())  # a deviation of zero has the gradient zero


def spread(t):
    return t.amax(-1) - t.amin(-1)


def extreme(t, largest: bool):
    found = torch.where(t.isnan(), -math.inf if largest else math.inf, t)
    found = found.amax(-1) if largest else found.amin(-1)
    return torch.where(t.isnan().all(-1), math.nan, found)


LAST = {
    "median": lambda t: t.quantile(0.5, -1),
    "ptp": spread,
    "nansum": lambda t: t.nansum(-1),
    "nanprod": lambda t: torch.where(t.isnan(), 1.0, t).prod(-1),
    "nanmean": nan_mean,
    "nanmedian": lambda t: t.nanquantile(0.5, -1),
    "nanmax": lambda t: extreme(t, True),
    "nanmin": lambda t: extreme(t, False),
    "nanvar": nan_var,
    "nanstd": nan_std,
}


def elements(name: str, draw) -> np.ndarray:
    """Draw an array; for a function that leaves out NaN, one with a NaN and more than one number along each axis."""
    special = None if draw.kind == "generic" else FINITE_EDGES[:6]
    if name.startswith("nan") and draw.flag():
        x = draw.array(draw.shape(1, 2, min_side=3), special=special)
        x[(-1,) * x.ndim] = math.nan
        return x
    return draw.array(draw.shape(most=2, min_side=1), special=special)  # PyTorch sorts more than 16 elements unstably


FAMILIES = {
    "median and range": ("median", "ptp"),
    "sums without NaN": ("nansum", "nanprod", "nanmean"),
    "extremes without NaN": ("nanmax", "nanmin", "nanmedian"),
    "deviations without NaN": ("nanvar", "nanstd"),
}


@case(CASES, *FAMILIES)
def _(name, draw):
    name = draw.one_of(*FAMILIES[name])
    x = elements(name, draw)
    axis, keepdims = draw.one_of(None, *range(-x.ndim, x.ndim), tuple(range(x.ndim))), draw.flag()
    return Problem(draw.call(name, axis=axis, keepdims=keepdims), as_reduction(LAST[name], axis, keepdims), [x])


@case(CASES, "quantile", "nanquantile")
def _(name, draw):
    x = elements(name, draw)
    axis, keepdims, q = draw.one_of(None, *range(-x.ndim, x.ndim)), draw.flag(), draw.one_of(0.3, 0.0, 1.0, [0.1, 0.8])
    method = draw.one_of("linear", "lower", "higher", "midpoint", "nearest")

    def theirs(t):
        q_ = torch.tensor(q, dtype=t.dtype)
        return getattr(torch, name)(t, q_, dim=axis, keepdim=keepdims, interpolation=method)

    return Problem(draw.call(name, q, axis=axis, keepdims=keepdims, method=method), theirs, [x])


@case(CASES, "cumulative without NaN")
def _(name, draw):
    name = draw.one_of("nancumsum", "nancumprod")
    x = elements(name, draw)
    axis = draw.one_of(None, *range(-x.ndim, x.ndim))

    def theirs(t):
        t = torch.where(t.isnan(), 0.0 if name == "nancumsum" else 1.0, t)
        return getattr(t.flatten() if axis is None else t, name[3:])(axis or 0)

    return Problem(draw.call(name, axis=axis), theirs, [x])


@case(CASES, "average")
def _(name, draw):
    x = draw.array(draw.shape(1, min_side=1))
    axis = draw.axis(x.ndim)
    whole = draw.flag()
    weights = draw.array(x.shape if whole else (x.shape[axis],), 0.5, 2.0, special=(0.5, 1.0, 3.0))

    def theirs(t, w):
        if not whole:
            w = w.reshape([-1 if i == axis % t.ndim else 1 for i in range(t.ndim)])
        return (t * w).sum(axis) / w.broadcast_to(t.shape).sum(axis)

    return Problem(lambda v, w: adjoint.average(v, axis, w), theirs, [x, weights])


@case(CASES, "cov", "corrcoef")
def _(name, draw):
    x = draw.array((draw.integer(1, 3), 4), special=(1.0, 2.0, -3.0, 0.5))
    if name == "corrcoef":
        x = x + np.arange(4).astype(x.dtype)
        return Problem(adjoint.corrcoef, torch.corrcoef, [x])
    ddof = draw.one_of(0, 1)
    weights = {"aweights": np.array([1.0, 2.0, 0.5, 3.0])} if draw.flag() else {}
    weights |= {"fweights": np.array([1, 2, 1, 3])} if draw.flag() else {}
    theirs = {key: as_tensor(w.astype(x.dtype) if key == "aweights" else w) for key, w in weights.items()}
    return Problem(
        lambda v: adjoint.cov(v, ddof=ddof, **weights), lambda t: torch.cov(t, correction=ddof, **theirs), [x]
    )


@case(CASES, "two moments")
def _(name, draw):
    name = draw.one_of("std_mean", "var_mean")
    x = draw.array(draw.shape(1, min_side=2), special=(0.0, 1.0, 2.0, 4.0))
    axis, correction = draw.axis(x.ndim), draw.one_of(0, 1)
    return Problem(
        lambda v: adjoint.stack(getattr(adjoint, name)(v, axis, correction)),
        lambda t: torch.stack(getattr(torch, name)(t, axis, correction=correction)),
        [x],
    )


# Products of zeros, and square roots at zero: PyTorch's second derivatives of these compositions are NaN.
SINGULAR = ["sums without NaN", "cumulative without NaN", "deviations without NaN", "two moments", "corrcoef"]
globals().update(claims(CASES, singular=SINGULAR, without=["results", "own_gradients", "arrays_of_jax", "compiled"]))

X = np.random.default_rng(0).normal(size=(3, 4, 5))
NAN = np.where(np.random.default_rng(1).random(X.shape) < 0.3, math.nan, X)
NAN[:, 1, 2] = math.nan


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
@pytest.mark.parametrize("method", METHODS)
def test_quantiles_by_every_method_are_those_of_numpy(name, method):
    scale = 100 if "percentile" in name else 1
    for x in (X, NAN) if name.startswith("nan") else (X,):
        for q in (0.3, np.array([0.0, 0.25, 1.0])):
            for axis in (None, 1, (0, 2)):
                found = getattr(np, name)(Value(x), q * scale, axis=axis, method=method)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    require_close(found.data, getattr(np, name)(x, q * scale, axis=axis, method=method))


@pytest.mark.parametrize("name", [name for name in LAST if name.startswith("nan")])
def test_numpys_functions_that_leave_out_nan_give_the_same(name):
    for axis in (None, 0, (0, 1)):
        found = getattr(np, name)(Value(NAN), axis=axis)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            require_close(found.data, getattr(np, name)(NAN, axis=axis))


def test_numpys_options_of_covariances_and_averages_give_the_same():
    a, w = X[0], np.arange(1.0, 6.0)
    for options in ({"bias": True}, {"rowvar": False}, {"y": X[1]}, {"ddof": 0, "aweights": w}, {"ddof": 5}):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            require_close(np.cov(Value(a), **options).data, np.cov(a, **options))
    require_close(np.corrcoef(Value(a[0]), a[1]).data, np.corrcoef(a[0], a[1]))
    found, expected = (np.average(x, axis=1, weights=w, returned=True) for x in (Value(a), a))
    for ours, theirs in zip(found, expected):
        require_close(getattr(ours, "data", ours), theirs)
    require_close(np.average(Value(a)).data, a.mean())


def test_a_nan_receives_nothing_and_numbers_of_one_value_have_no_deviation():
    v = Value([1.0, 1.0, math.nan])
    for name in ("nansum", "nanmean", "nanvar", "nanstd", "nanmax", "nanmedian"):
        v.zero_grad()
        getattr(adjoint, name)(v).backward()
        assert np.isfinite(v.grad).all(), name
        assert v.grad[2] == 0.0, name
    assert adjoint.nansum(Value(math.nan)).item() == 0.0


def test_all_of_them_compiled_give_the_same_derivatives():
    def loss(v):
        parts = [adjoint.median(v, 1), adjoint.quantile(v, [0.2, 0.7], 0), adjoint.nanquantile(v, 0.3), adjoint.ptp(v)]
        parts += [getattr(adjoint, name)(v, 1) for name in LAST if name.startswith("nan")]
        parts += [adjoint.cov(v), adjoint.corrcoef(v), adjoint.average(v, 1, v * v)]
        return sum(((k + 1.0) * part**2).sum() for k, part in enumerate(parts))

    x = X[0].copy()
    with jax_in_double():
        compiled, direct = (f(x) for f in (adjoint.jit(adjoint.grad(loss)), adjoint.grad(loss)))
    require_close(compiled, direct)


def test_plain_lists_and_single_numbers():
    assert adjoint.median([3, 1, 2]) == 2.0
    assert not isinstance(adjoint.nanmean([1.0, math.nan]), Value)
    assert adjoint.median(Value(2.0)).item() == 2.0
    assert adjoint.quantile(Value(np.float32([1, 2])), [0.3, 0.2]).dtype == np.float32


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda v: adjoint.quantile(v, 1.5), ArgumentError, "quantile: q must be from 0 to 1"),
        (lambda v: adjoint.percentile(v, 150), ArgumentError, "percentile: q must be from 0 to 100"),
        (lambda v: adjoint.quantile(v, v), ArgumentError, "q has no gradient"),
        (lambda v: adjoint.quantile(v, 0.5, method="x"), ArgumentError, "method must be one of linear, lower"),
        (lambda v: adjoint.median(v[:0]), ShapeError, "median of an empty array"),
        (lambda v: adjoint.average(v, weights=[1.0]), ShapeError, r"weights of shape \(1,\)"),
        (lambda v: adjoint.cov(v), ShapeError, "cov needs variables as a vector or a matrix"),
        (lambda v: adjoint.cov(v[0], aweights=[1.0]), ShapeError, "aweights must be one for each of the 5"),
    ],
)
def test_errors_say_what_does_not_fit(call, error, message):
    with pytest.raises(error, match=message):
        call(Value(X))


@pytest.mark.parametrize("shape", [(1, 3), (1, 0)])
def test_one_row_is_one_observation_if_variables_are_columns(shape):
    """As in NumPy since 2.2."""
    found = adjoint.cov(Value(np.ones(shape)), rowvar=False, bias=True)
    assert found.data.tolist() == np.zeros((shape[1], shape[1])).tolist()
