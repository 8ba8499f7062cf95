"""Distributions against SciPy's numbers, and their gradients against PyTorch and central differences."""

import math
from contextlib import contextmanager

import numpy as np
import pytest
import scipy.stats
import torch
from arrays import Problem, jax_in_double, require_agreement, to_numpy
from closeness import require_close, require_slope
from torch import distributions as td

import adjoint
from adjoint import Value, check_gradients, stats
from adjoint.errors import ArgumentError, MissingRuleError, ShapeError

# The shapes of each distribution, and PyTorch's distribution given shapes, loc and scale.
CONTINUOUS = {
    "norm": ((), td.Normal),
    "t": ((2.5,), td.StudentT),
    "gamma": ((1.7,), lambda a, loc, scale: moved(td.Gamma(a, torch.ones(()).double()), loc, scale)),
    "invgamma": ((1.7,), lambda a, loc, scale: moved(td.InverseGamma(a, torch.ones(()).double()), loc, scale)),
    "chi2": ((3.0,), lambda df, loc, scale: moved(td.Chi2(df), loc, scale)),
    "beta": ((1.5, 2.5), lambda a, b, loc, scale: moved(td.Beta(a, b), loc, scale)),
    "expon": ((), lambda loc, scale: moved(td.Exponential(torch.ones(()).double()), loc, scale)),
    "uniform": ((), lambda loc, scale: td.Uniform(loc, loc + scale)),
    "laplace": ((), None),  # the second derivative of PyTorch's takes seconds
    "logistic": ((), lambda loc, scale: Logistic(loc, scale)),
    "cauchy": ((), td.Cauchy),
    "lognorm": ((0.7,), lambda s, loc, scale: moved(td.LogNormal(torch.zeros(()).double(), s), loc, scale)),
    "halfnorm": ((), lambda loc, scale: moved(td.HalfNormal(torch.ones(()).double()), loc, scale)),
    "rayleigh": ((), lambda loc, scale: Rayleigh(loc, scale)),
    "pareto": ((1.5,), lambda b, loc, scale: moved(td.Pareto(torch.ones(()).double(), b), loc, scale)),
    "weibull_min": ((1.5,), lambda c, loc, scale: moved(td.Weibull(torch.ones(()).double(), c), loc, scale)),
    "gumbel_r": ((), td.Gumbel),
    "vonmises": ((1.3,), None),  # PyTorch's has 9 digits
}
DISCRETE = {
    "bernoulli": ((0.3,), td.Bernoulli),
    "binom": ((3.0, 0.3), lambda n, p: td.Binomial(n.detach(), p)),
    "geom": ((0.3,), lambda p: moved(td.Geometric(p), 1.0, None)),
    "nbinom": ((2.5, 0.3), lambda n, p: td.NegativeBinomial(n, 1 - p)),
    "poisson": ((1.7,), td.Poisson),
}
FUNCTIONS = ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf")
WITHOUT_CDF = {"vonmises"}
CONSTANT = {"t", "gamma", "invgamma", "chi2", "beta", "binom", "nbinom"}  # whose cdf takes its shapes as constants


class moved:
    """A distribution of PyTorch with a loc and a scale."""

    def __init__(self, standard, loc, scale):
        self.standard, self.loc, self.scale = standard, loc, scale

    def log_prob(self, x):
        if self.scale is None:
            return self.standard.log_prob(x - self.loc)
        return self.standard.log_prob((x - self.loc) / self.scale) - torch.log(self.scale)


class Logistic(moved):
    def __init__(self, loc, scale):
        super().__init__(self, loc, scale)

    def log_prob(self, x):
        z = (x - self.loc) / self.scale
        return -z - 2 * torch.nn.functional.softplus(-z) - torch.log(self.scale)


class Rayleigh(Logistic):
    def log_prob(self, x):
        z = (x - self.loc) / self.scale
        return torch.log(z) - z * z / 2 - torch.log(self.scale)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_numbers_agree_with_scipy_inside_and_outside_the_support(name):
    x = np.array([-1.5, 0.1, 0.3, 0.8, 1.4, 2.5, 30.0, math.nan])
    ours, theirs = getattr(stats, name), getattr(scipy.stats, name)
    parameters = (*CONTINUOUS[name][0], 0.1, 1.3)
    for function in FUNCTIONS[: 2 if name in WITHOUT_CDF else None]:
        with np.errstate(all="ignore"):
            expected = getattr(theirs, function)(x, *parameters)
        found = getattr(ours, function)(x, *parameters)
        require_close(found, expected, function)
        number = getattr(ours, function)(Value(0.8), *parameters)
        assert type(number) is Value
        require_close(number.data, expected[3])
    default = parameters[:-2]
    require_close(ours.logpdf([0.3, 0.8], *default), theirs.logpdf([0.3, 0.8], *default))


@pytest.mark.parametrize("name", DISCRETE)
def test_probabilities_agree_with_scipy_inside_and_outside_the_support(name):
    k = np.array([-1.0, 0.0, 1.0, 2.0, 3.0, 1.5, 20.0])
    ours, theirs, shapes = getattr(stats, name), getattr(scipy.stats, name), DISCRETE[name][0]
    for function in ("logpmf", "pmf", "cdf", "sf", "logcdf"):
        for loc in (0, 2):
            with np.errstate(all="ignore"):
                expected = getattr(theirs, function)(k, *shapes, loc=loc)
            require_close(getattr(ours, function)(k, *shapes, loc=loc), expected, function)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_log_densities_have_pytorchs_derivatives_for_the_point_and_all_parameters(name):
    shapes, theirs = CONTINUOUS[name]
    low = 2.3 if name == "pareto" else 0.3
    numbers = [np.array([low, 0.6 + low, 0.9 + low]), *shapes, 0.1, 1.4]
    check_gradients(getattr(stats, name).logpdf, *numbers, order=2)
    if theirs is None:
        return
    inputs = [np.asarray(x, float) for x in numbers]
    variables = (name != "uniform", *[True] * (len(inputs) - 1))
    problem = Problem(
        getattr(stats, name).logpdf, lambda x, *rest: theirs(*rest).log_prob(x), inputs, variables=variables
    )
    inexact = name in ("gamma", "invgamma", "chi2", "beta", "t")  # PyTorch's trigamma has 9 digits
    with without_validation():
        require_agreement(problem, order=1 if inexact else 2)


@contextmanager
def without_validation():
    """Turn off the checks of PyTorch's distributions, which refuse points outside the support."""
    td.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        td.Distribution.set_default_validate_args(True)


@pytest.mark.parametrize("name", DISCRETE)
def test_log_probabilities_have_pytorchs_derivatives_for_the_parameters(name):
    shapes, theirs = DISCRETE[name]
    inputs = [np.array([1.0, 1.0, 2.0] if name != "bernoulli" else [1.0, 0.0, 1.0]), *map(np.asarray, shapes)]
    variables = [False, *[True] * len(shapes)]
    if name == "binom":
        variables[1] = False
    problem = Problem(
        getattr(stats, name).logpmf, lambda x, *rest: theirs(*rest).log_prob(x), inputs, variables=variables
    )
    with without_validation():
        require_agreement(problem, order=1 if name == "nbinom" else 2)
    whole = shapes[:1] if name == "binom" else ()  # n may not differ a little from a whole number
    check_gradients(lambda *p: getattr(stats, name).logpmf(inputs[0], *whole, *p), *shapes[len(whole) :], order=2)


@pytest.mark.parametrize("name", [*CONTINUOUS, *DISCRETE])
def test_cumulative_distributions_have_the_derivatives_of_central_differences(name):
    ours = getattr(stats, name)
    if name in DISCRETE:
        *constants, p = DISCRETE[name][0]
        check_gradients(lambda p: ours.cdf(np.array([0.0, 1.0, 2.0]), *constants, p), p, order=2)
        return
    if name in WITHOUT_CDF:
        with pytest.raises(MissingRuleError, match="vonmises has no cdf"):
            ours.cdf(0.5, 1.3)
        return
    shapes, x = CONTINUOUS[name][0], np.array([0.3, 0.8]) + (name == "pareto")
    if name in CONSTANT:
        check_gradients(lambda x, *p: ours.cdf(x, *shapes, *p), x, 0.1, 1.4, order=2)
    else:
        check_gradients(ours.cdf, x, *shapes, 0.1, 1.4, order=2)
        check_gradients(lambda *p: adjoint.exp(ours.logsf(*p)), x, *shapes, 0.1, 1.4, order=1)


@pytest.mark.parametrize("name", ["norm", "expon", "uniform", "logistic", "cauchy", "gumbel_r", "lognorm"])
def test_quantiles_agree_with_scipy(name):
    q, parameters = np.array([0.1, 0.5, 0.93]), (*CONTINUOUS[name][0], 0.1, 1.3)
    require_close(getattr(stats, name).ppf(q, *parameters), getattr(scipy.stats, name).ppf(q, *parameters))
    require_close(getattr(stats, name).isf(q, *parameters), getattr(scipy.stats, name).isf(q, *parameters))


FAR = {
    "norm": (-20.0, 20.0),
    "laplace": (-300.0, 300.0),
    "gumbel_r": (-8.0, 30.0),
    "expon": (1e-8, 60.0),
    "lognorm": (1e-6, 1e6),
    "halfnorm": (1e-8, 20.0),
    "rayleigh": (1e-4, 50.0),
    "weibull_min": (1e-6, 200.0),
    "pareto": (1.5, 1e30),
    "binom": (0.0, 50.0),
    "geom": (1.0, 300.0),
    "nbinom": (0.0, 200.0),
    "poisson": (0.0, 30.0),
}


@pytest.mark.parametrize("name", FAR)
def test_logarithms_of_small_probabilities_are_exact_in_both_tails(name):
    shapes = {"binom": (60.0, 0.3), "poisson": (7.0,)}.get(name, {**CONTINUOUS, **DISCRETE}[name][0])
    for function, x in zip(("logcdf", "logsf"), FAR[name]):
        for dtype in ("float64", "float32"):
            expected = getattr(getattr(scipy.stats, name), function)(x, *shapes)
            point = Value(np.array([x], dtype))
            found = getattr(getattr(stats, name), function)(point, *np.array(shapes, dtype))
            require_close(found, [expected], f"{function} {dtype}", dtype=dtype)
            if name in CONTINUOUS:
                adjoint.sum(found).backward()
                step = 1e-5 * x
                nearby = getattr(getattr(scipy.stats, name), function)(x + np.array([-step, step]), *shapes)
                require_slope(point.grad, (nearby[1:] - nearby[:1]) / (2 * step), dtype=dtype)


def test_logarithms_of_distributions_give_no_gradient_outside_the_support():
    for distribution, inner in ((stats.expon, 1.0), (stats.uniform, 0.5), (stats.rayleigh, 1.0)):
        x = Value([-1.0, inner])
        adjoint.sum(distribution.logcdf(x) * np.array([0.0, 1.0])).backward()
        assert x.grad[0] == 0.0
        assert math.isfinite(x.grad[1])
    mu = Value(2.0)
    below = stats.poisson.logcdf(np.array([-1.0, 1.0]), mu)
    assert below.data[0] == -math.inf
    below.backward(np.array([1.0, 1.0]))
    require_close(mu.grad, -2 / 3)  # of log((1 + mu) e^-mu)


def test_a_point_outside_the_support_receives_no_gradient():
    x, a = Value([-1.0, 0.5, 3.0]), Value(1.5)
    y = stats.beta.logpdf(x, a, 2.0)
    assert y.data[[0, 2]].tolist() == [-math.inf, -math.inf]
    y.backward(np.ones(3))
    assert x.grad[[0, 2]].tolist() == [0.0, 0.0]
    assert math.isfinite(a.grad)


def test_normal_vectors_follow_scipy_and_pytorch():
    rng = np.random.default_rng(0)
    x, mean, root = rng.normal(size=(2, 4, 3)), rng.normal(size=3), rng.normal(size=(3, 3))
    cov = root @ root.T + np.eye(3)
    ours = stats.multivariate_normal
    for given in (cov, np.array([0.5, 1.0, 2.0]), 1.5):
        expected = scipy.stats.multivariate_normal.logpdf(x, mean, given)
        require_close(ours.logpdf(x, mean, given), expected)
        expected = scipy.stats.multivariate_normal.entropy(mean, given)
        require_close(ours.entropy(mean, given), expected)
    require_close(ours.pdf(Value(x[0, 0]), mean, cov).data, math.exp(ours.logpdf(x[0, 0], mean, cov)))
    problem = Problem(
        lambda x, mean, root: ours.logpdf(x, mean, root @ root.T + np.eye(3)),
        lambda x, mean, root: td.MultivariateNormal(mean, root @ root.T + torch.eye(3).double()).log_prob(x),
        [x, mean, root],
    )
    require_agreement(problem, order=2)
    with pytest.raises(ShapeError, match=r"size 3 need a covariance of shape \(3, 3\), \(3,\) or \(\), not \(2, 2\)"):
        ours.logpdf(x, mean, np.eye(2))
    check_gradients(lambda root: ours.entropy(mean, root @ root.T + np.eye(3)), root, order=2)
    with pytest.raises(ShapeError, match="vectors of size 3 need a covariance of shape"):
        ours.entropy(mean, np.eye(2))


def test_dirichlet_and_multinomial_follow_scipy():
    x, alpha = np.array([0.2, 0.3, 0.5]), np.array([1.5, 2.0, 0.7])
    expected = scipy.stats.dirichlet.logpdf(x, alpha)
    require_close(stats.dirichlet.logpdf(x, alpha), expected)
    require_close(stats.dirichlet.logpdf(x[:2], alpha), expected)
    require_close(stats.dirichlet.pdf(Value(x), alpha).item(), math.exp(expected))
    check_gradients(stats.dirichlet.logpdf, x, alpha, order=2)
    columns = np.stack([x, x[::-1]], 1)
    require_close(stats.dirichlet.logpdf(columns, alpha), scipy.stats.dirichlet.logpdf(columns, alpha))
    k = np.array([[1.0, 2.0, 2.0], [0.0, 5.0, 0.0]])
    require_close(stats.multinomial.pmf(k, 5, x), scipy.stats.multinomial.pmf(k, 5, x))
    check_gradients(lambda p: stats.multinomial.logpmf(k, 5.0, p), x, order=2)


def test_a_sum_of_log_densities_compiles():
    x = np.array([0.3, 0.8])

    def loss(mu, scale):
        return (stats.norm.logpdf(x, mu, scale) + stats.beta.logpdf(x, scale, 2.0)).sum()

    with jax_in_double():
        found = adjoint.jit(adjoint.grad(loss, argnums=(0, 1)))(0.2, 1.3)
    expected = adjoint.grad(loss, argnums=(0, 1))(0.2, 1.3)
    for mine, reference in zip(found, expected):
        require_close(to_numpy(mine), reference)


def test_wrong_parameters_are_errors_of_ours():
    with pytest.raises(ArgumentError, match=r"norm\.logpdf has no parameter 'sigma'; its parameters are loc, scale"):
        stats.norm.logpdf(0.0, sigma=1.0)
    with pytest.raises(ArgumentError, match=r"t\.logpdf needs df"):
        stats.t.logpdf(0.0)
    with pytest.raises(ArgumentError, match="takes at most 2 parameters"):
        stats.norm.logpdf(0.0, 1.0, 2.0, 3.0)
    with pytest.raises(ArgumentError, match="got loc twice"):
        stats.norm.logpdf(0.0, 1.0, loc=2.0)
    with pytest.raises(MissingRuleError, match="gammainc has no derivative for a"):
        stats.gamma.cdf(1.0, Value(2.0))


EDGES = np.array([-np.inf, -30.0, -1.0, 0.0, 0.5, 1.0, 2.0, 30.0, np.inf, np.nan])


def require_scipy(name, function, *arguments, **options):
    with np.errstate(all="ignore"):
        found = getattr(getattr(stats, name), function)(*arguments, **options)
        expected = getattr(getattr(scipy.stats, name), function)(*arguments, **options)
    require_close(found, expected, f"{name}.{function}{options}")


@pytest.mark.parametrize("name", [*CONTINUOUS, *DISCRETE])
def test_infinities_and_nan_give_what_scipy_gives(name):
    shapes = (CONTINUOUS | DISCRETE)[name][0]
    for function in ("logpmf", *FUNCTIONS[2:]) if name in DISCRETE else FUNCTIONS[: 2 if name in WITHOUT_CDF else None]:
        require_scipy(name, function, EDGES, *shapes)


@pytest.mark.parametrize("name", [*CONTINUOUS, *DISCRETE])
def test_parameters_out_of_their_range_give_nan(name):
    shapes = (CONTINUOUS | DISCRETE)[name][0]
    density = "logpmf" if name in DISCRETE else "logpdf"
    for i in range(len(shapes)):
        require_scipy(name, density, EDGES, *shapes[:i], -shapes[i], *shapes[i + 1 :])
    if name in CONTINUOUS:
        for function in (density,) if name in WITHOUT_CDF else (density, "cdf", "logsf"):
            for scale in (0.0, -1.0):
                require_scipy(name, function, EDGES, *shapes, scale=scale)


@pytest.mark.parametrize("name", ["norm", "expon", "uniform", "logistic", "cauchy", "lognorm", "gumbel_r"])
def test_quantiles_agree_with_scipy_in_both_tails(name):
    q = np.array([-0.1, 0.0, 1e-18, 0.3, 0.5, 1 - 1e-9, 1.0, 1.2, np.nan])
    require_scipy(name, "ppf", q, *CONTINUOUS[name][0], scale=2.0)
    require_scipy(name, "isf", q, *CONTINUOUS[name][0], scale=2.0)
    assert check_gradients(lambda q: getattr(stats, name).isf(q, *CONTINUOUS[name][0]), np.array([0.2, 0.7]))


def test_counts_that_do_not_add_up_are_impossible():
    x, p = np.array([[2, 1, 1], [1, 1, 1], [5, -1, 0]]), [0.2, 0.3, 0.5]
    require_close(stats.multinomial.logpmf(x, 4, p), scipy.stats.multinomial.logpmf(x, 4, p))
    with pytest.raises(ShapeError, match="3 counts for 2 probabilities"):
        stats.multinomial.logpmf([1, 2, 1], 4, [0.4, 0.6])


def test_variances_of_another_size_are_refused():
    with pytest.raises(ShapeError, match=r"vectors of size 3 need .* not \(1,\)"):
        stats.multivariate_normal.logpdf(np.zeros(3), cov=np.array([2.0]))


def test_counts_take_the_dtype_of_probabilities():
    p = Value(np.float32([0.5, 0.5]))
    assert stats.multinomial.logpmf([1, 1], 2, p).dtype == np.float32
    assert stats.binom.logpmf([1, 1], 2, p).dtype == np.float32
    assert stats.poisson.logpmf(np.array([1, 3]), p).dtype == np.float32
    assert stats.poisson.logsf([1, 3], p.data).dtype == np.float32
    assert stats.poisson.logpmf([1, 3], p.data).dtype == np.float32


def test_the_logarithms_of_tails_do_not_underflow_in_float32():
    tail = np.float32([90.0, 300.0])
    for name, shapes in {"gamma": (2.5,), "chi2": (3.0,), "gumbel_r": ()}.items():
        x = Value(tail)
        y = getattr(stats, name).logsf(x, *map(np.float32, shapes))
        y.sum().backward()
        assert y.dtype == x.grad.dtype == np.float32
        theirs = getattr(scipy.stats, name)
        require_close(y, theirs.logsf(tail.astype(float), *shapes), dtype="float32")
        slope = -np.exp(theirs.logpdf(tail.astype(float), *shapes) - theirs.logsf(tail.astype(float), *shapes))
        require_close(x.grad, slope, dtype="float32")


def test_the_survival_function_of_gumbel_is_smooth_in_both_tails():
    x = np.array([-700.0, -40.0, -3.0, 0.0, 0.4, 19.9, 20.1, 600.0])
    require_close(stats.gumbel_r.logsf(x), scipy.stats.gumbel_r.logsf(x))
    require_close(stats.gumbel_r.logsf([800.0, 1e5]), [-800.0, -1e5])
    assert check_gradients(stats.gumbel_r.logsf, np.array([-3.0, -0.5, 0.4, 15.0, 30.0]))
