"""Every distribution of one number against mpmath: values and slopes in both precisions, also far in the tails."""

import dataclasses
import math

import mpmath as mp
import numpy as np
import pytest
import scipy.stats
from arrays import jax_in_double
from closeness import require_close
from high_precision import compiled, require_right, row

import adjoint
from adjoint import Value, stats


def normal_cdf(z):
    return mp.erfc(-z / mp.sqrt(2)) / 2


def normal_pdf(z):
    return mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi)


def t_logpdf(z, df):
    with mp.extradps(60):
        norm = mp.re(mp.loggamma((df + 1) / 2) - mp.loggamma(df / 2)) - mp.log(mp.pi * df) / 2
        return norm - (df + 1) / 2 * mp.log1p(z * z / df)


def t_sf(z, df):
    """Return P(T > z), by its series in 1 / df for a huge `df`."""
    if df > 1e9:
        return normal_cdf(-z) + normal_pdf(z) * (z**3 + z) / (4 * df)
    if z < 0:
        return 1 - t_sf(-z, df)
    return mp.betainc(df / 2, mp.mpf(1) / 2, 0, df / (df + z * z), regularized=True) / 2


def gamma_logpdf(z, a):
    return (a - 1) * mp.log(z) - z - mp.re(mp.loggamma(a))


def beta_logpdf(z, a, b):
    with mp.extradps(60):
        norm = mp.re(mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b))
        return (a - 1) * mp.log(z) + (b - 1) * mp.log1p(-z) - norm


def log_choices(n, k):
    with mp.extradps(60):
        return mp.re(mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1))


def upper_gamma(a, x):
    return mp.gammainc(a, x, regularized=True)


def lower_gamma(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def lower_beta(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


def gumbel_sf(z):
    return -mp.expm1(-mp.exp(-z))


TINY, SIGNED = (1e-160, 1e-9), (1e-160, 1e-9, 0.3, 2.0, 30.0, -1e-9, -0.3, -2.0, -30.0)
HUGE, POSITIVE = (1e5, 1e10, 1e160), (1e-9, 0.3, 2.0, 30.0)
TAILS = (
    (0.3, 3.0),
    (-2.0, 5.5),
    (1e9, 3.0),
    (-1e9, 3.0),
    (1e60, 1.5),
    (-4.0, 199.0),
    (-4.0, 201.0),
    (1.0, 1e15),
    (-1.0, 1e15),
    (1e-9, 1e15),
)
INTEGRAL = 32  # t with many degrees of freedom is a sum of 64 terms
SHAPED = ((0.3, 2.0), (1e-9, 0.5), (30.0, 2.5), (40.0, 50.0), (1e5 + 30, 1e5), (1e10 - 1e5, 1e10), (1e15, 1e15))

# For each function: the reference, the points with their parameters, and options of the row. Parameters of the
# cumulative distributions of t, gamma, beta and so on are constants, so that only the point has a slope.
TABLE = {
    "norm.logpdf": (lambda z: -z * z / 2 - mp.log(2 * mp.pi) / 2, (*SIGNED, 1e5, 1e150), {}),
    "norm.cdf": (normal_cdf, (*SIGNED, -37.0), {"slopes": (normal_pdf,), "exponent": True}),
    "norm.sf": (lambda z: normal_cdf(-z), (*SIGNED, 37.0), {"slopes": (lambda z: -normal_pdf(z),), "exponent": True}),
    "t.logpdf": (t_logpdf, (*TAILS, (1e160, 3.0), (-1e15, 1.0)), {"variables": (0, 1)}),
    "t.cdf": (
        lambda z, df: t_sf(-z, df),
        TAILS,
        {"slopes": (lambda z, df: mp.exp(t_logpdf(z, df)),), "exponent": True, "ulps": INTEGRAL},
    ),
    "t.sf": (t_sf, TAILS, {"slopes": (lambda z, df: -mp.exp(t_logpdf(z, df)),), "exponent": True, "ulps": INTEGRAL}),
    "gamma.logpdf": (gamma_logpdf, SHAPED, {"variables": (0, 1)}),
    "gamma.cdf": (
        lambda z, a: lower_gamma(a, z),
        SHAPED[:4],
        {"slopes": (lambda z, a: mp.exp(gamma_logpdf(z, a)),), "exponent": True},
    ),
    "invgamma.logpdf": (
        lambda z, a: gamma_logpdf(1 / z, a) - 2 * mp.log(z),
        ((0.3, 2.0), (1e-3, 5.0), (1e10, 2.0), (1e-5, 1e5)),
        {"variables": (0, 1)},
    ),
    "invgamma.sf": (
        lambda z, a: lower_gamma(a, 1 / z),
        ((0.3, 2.0), (1e-2, 5.0), (1e10, 2.0)),
        {"slopes": (lambda z, a: -mp.exp(gamma_logpdf(1 / z, a)) / z**2,), "exponent": True},
    ),
    "chi2.logpdf": (
        lambda z, df: gamma_logpdf(z / 2, df / 2) - mp.log(2),
        ((0.3, 2.0), (1e-9, 1.0), (1e5 + 30, 1e5), (1e15, 1e15)),
        {"variables": (0, 1)},
    ),
    "chi2.sf": (
        lambda z, df: upper_gamma(df / 2, z / 2),
        ((0.3, 2.0), (80.0, 3.0)),
        {"slopes": (lambda z, df: -mp.exp(gamma_logpdf(z / 2, df / 2)) / 2,), "exponent": True},
    ),
    "beta.logpdf": (
        beta_logpdf,
        ((0.3, 2.0, 3.0), (1e-9, 0.5, 0.5), (0.5, 1e5, 1e5), (0.25, 1e10, 3e10), (1e-9, 3.0, 1e10)),
        {"variables": (0, 1, 2)},
    ),
    "beta.sf": (
        lambda z, a, b: lower_beta(b, a, 1 - z),
        ((0.3, 2.0, 3.0), (1e-9, 0.5, 0.5), (0.99, 0.5, 7.0)),
        {"slopes": (lambda z, a, b: -mp.exp(beta_logpdf(z, a, b)),), "exponent": True},
    ),
    "expon.cdf": (lambda z: -mp.expm1(-z), (*TINY, *POSITIVE), {"exponent": True}),
    "expon.sf": (lambda z: mp.exp(-z), (*TINY, *POSITIVE, 600.0), {"exponent": True}),
    "expon.ppf": (lambda q: -mp.log1p(-q), (1e-160, 1e-9, 0.5, 0.99), {}),
    "uniform.cdf": (lambda z: z, (*TINY, 0.3, 0.9), {}),
    "laplace.cdf": (
        lambda z: mp.exp(z) / 2 if z < 0 else 1 - mp.exp(-z) / 2,
        (0.3, 30.0, -0.3, -600.0),
        {"exponent": True},
    ),
    "laplace.logpdf": (lambda z: -mp.log(2) - abs(z), (0.3, 30.0, -0.3, -1e160), {}),
    "logistic.logpdf": (lambda z: -z - 2 * mp.log1p(mp.exp(-z)), (*SIGNED, 1e5, -1e160), {}),
    "logistic.sf": (lambda z: 1 / (1 + mp.exp(z)), (0.3, -2.0, 30.0, 600.0), {"exponent": True}),
    "logistic.ppf": (lambda q: mp.log(q / (1 - q)), (1e-160, 1e-9, 0.4, 0.99), {}),
    "cauchy.logpdf": (lambda z: -mp.log(mp.pi) - mp.log1p(z * z), (*SIGNED, *HUGE), {}),
    "cauchy.cdf": (lambda z: mp.atan2(1, -z) / mp.pi, (*SIGNED, *HUGE[:2], -1e5, -1e15, -1e140), {}),
    "cauchy.sf": (lambda z: mp.atan2(1, z) / mp.pi, (*SIGNED, *HUGE[:2], -1e5, 1e15, 1e140), {}),
    "cauchy.ppf": (lambda q: -1 / mp.tan(mp.pi * q), (1e-100, 1e-9, 0.3, 0.7, 0.99), {}),
    "lognorm.logpdf": (
        lambda z, s: -((mp.log(z) / s) ** 2) / 2 - mp.log(s * z) - mp.log(2 * mp.pi) / 2,
        ((0.3, 1.0), (1e-100, 50.0), (1e160, 30.0), (3.0, 1e-3)),
        {"variables": (0, 1)},
    ),
    "lognorm.cdf": (
        lambda z, s: normal_cdf(mp.log(z) / s),
        ((0.3, 1.0), (1e-100, 50.0), (1e160, 30.0), (0.9, 0.01)),
        {
            "slopes": (
                lambda z, s: normal_pdf(mp.log(z) / s) / (s * z),
                lambda z, s: -normal_pdf(mp.log(z) / s) * mp.log(z) / s**2,
            ),
            "variables": (0, 1),
            "exponent": True,
        },
    ),
    "halfnorm.cdf": (
        lambda z: mp.erf(z / mp.sqrt(2)),
        (*TINY, 0.3, 2.0, 5.0),
        {"slopes": (lambda z: 2 * normal_pdf(z),)},
    ),
    "halfnorm.sf": (
        lambda z: mp.erfc(z / mp.sqrt(2)),
        (*TINY, *POSITIVE),
        {"slopes": (lambda z: -2 * normal_pdf(z),), "exponent": True},
    ),
    "rayleigh.logpdf": (lambda z: mp.log(z) - z * z / 2, (*TINY, *POSITIVE, 1e50), {}),
    "rayleigh.cdf": (lambda z: -mp.expm1(-z * z / 2), (1e-9, 0.3, 2.0), {"exponent": True}),
    "pareto.logpdf": (
        lambda z, b: mp.log(b) - (b + 1) * mp.log(z),
        ((2.0, 3.0), (1e160, 0.1), (1.5, 1e5)),
        {"variables": (0, 1)},
    ),
    "pareto.sf": (
        lambda z, b: z**-b,
        ((2.0, 3.0), (1e160, 0.1), (1.0001, 1e5)),
        {"variables": (0, 1), "exponent": True},
    ),
    "weibull_min.logpdf": (
        lambda z, c: mp.log(c) + (c - 1) * mp.log(z) - z**c,
        ((2.0, 3.0), (1e-9, 0.5), (1e160, 0.01)),
        {"variables": (0, 1)},
    ),
    "weibull_min.cdf": (
        lambda z, c: -mp.expm1(-(z**c)),
        ((2.0, 3.0), (1e-9, 0.5), (1e160, 0.01)),
        {"variables": (0, 1), "exponent": True},
    ),
    "gumbel_r.logpdf": (lambda z: -z - mp.exp(-z), (*SIGNED[:7], 1e160, -5.0), {"exponent": True}),
    "gumbel_r.sf": (gumbel_sf, (0.3, 2.0, 30.0, 600.0, -3.0), {"exponent": True}),
    "gumbel_r.ppf": (lambda q: -mp.log(-mp.log(q)), (1e-160, 1e-9, 0.3, 0.9), {}),
    "vonmises.logpdf": (
        lambda z, k: k * (mp.cos(z) - 1) - mp.log(2 * mp.pi) - mp.log(mp.besseli(0, k) * mp.exp(-k)),
        ((0.3, 1.3), (1e-3, 60.0), (3.0, 1e-9), (1e-4, 1e4)),
        {"variables": (0, 1)},
    ),
    "bernoulli.logpmf": (
        lambda k, p: mp.log(p) if k else mp.log1p(-p),
        ((1.0, 1e-160), (0.0, 1e-160), (0.0, 0.9)),
        {"variables": (1,)},
    ),
    "binom.logpmf": (
        lambda k, n, p: log_choices(n, k) + k * mp.log(p) + (n - k) * mp.log1p(-p),
        (
            (1.0, 3.0, 0.3),
            (0.0, 5.0, 1e-30),
            (5.0, 5.0, 0.3),
            (3.0, 1e15, 1e-15),
            (5e4, 1e5, 0.5),
            (5e9 + 1e5, 1e10, 0.5),
        ),
        {"variables": (2,)},
    ),
    "binom.cdf": (
        lambda k, n, p: 1 - lower_beta(k + 1, n - k, p),
        ((1.0, 3.0, 0.3), (2.0, 40.0, 0.4), (3.0, 1e10, 1e-10), (0.0, 60.0, 1e-20)),
        {"variables": (2,), "exponent": True},
    ),
    "binom.sf": (
        lambda k, n, p: lower_beta(k + 1, n - k, p),
        ((1.0, 3.0, 0.3), (2.0, 40.0, 0.4), (0.0, 60.0, 1e-20)),
        {"variables": (2,), "exponent": True},
    ),
    "geom.logpmf": (
        lambda k, p: (k - 1) * mp.log1p(-p) + mp.log(p),
        ((1.0, 1e-9), (3.0, 0.5), (1e10, 1e-10)),
        {"variables": (1,)},
    ),
    "geom.cdf": (
        lambda k, p: -mp.expm1(k * mp.log1p(-p)),
        ((1.0, 1e-9), (3.0, 0.5), (1e10, 1e-10)),
        {"variables": (1,), "exponent": True},
    ),
    "nbinom.logpmf": (
        lambda k, n, p: log_choices(n + k - 1, k) + n * mp.log(p) + k * mp.log1p(-p),
        ((1.0, 2.5, 0.3), (0.0, 2.5, 0.3), (1e5, 1e5, 0.5), (1e10, 1e10, 0.5)),
        {"variables": (2,)},
    ),
    "nbinom.sf": (
        lambda k, n, p: 1 - lower_beta(n, k + 1, p),
        ((1.0, 2.5, 0.3), (3.0, 2.5, 1e-9), (30.0, 2.0, 0.5)),
        {"variables": (2,), "exponent": True},
    ),
    "poisson.logpmf": (
        lambda k, mu: k * mp.log(mu) - mu - mp.re(mp.loggamma(k + 1)),
        ((3.0, 2.0), (0.0, 1e-30), (1e5, 1e5), (1e15, 1e15), (1e10, 1e10 + 1e5)),
        {"variables": (1,)},
    ),
    "poisson.cdf": (
        lambda k, mu: upper_gamma(k + 1, mu),
        ((3.0, 2.0), (0.0, 1e-30), (5.0, 40.0)),
        {"variables": (1,), "exponent": True},
    ),
}
ROWS = {}
for name, given in TABLE.items():
    if given is not None:
        family, function = name.split(".")
        reference, points, options = given
        ROWS[name] = row(getattr(getattr(stats, family), function), reference, points, **options)


def test_every_distribution_of_one_number_has_rows():
    vectors = {"dirichlet", "multinomial", "multivariate_normal"}
    assert {name.split(".")[0] for name in ROWS} == {*stats.__all__} - vectors


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ROWS)
def test_values_and_slopes_are_as_right_as_the_numbers_allow(name, dtype):
    require_right(ROWS[name], dtype)


def test_nothing_lies_below_the_support_of_lognorm():
    for s in (10.0, 50.0, 1000.0):
        below = np.array([-5.0, -1e-300, 0.0])
        require_close(stats.lognorm.cdf(below, s), np.zeros(3))
        require_close(stats.lognorm.sf(below, s), np.ones(3))


def test_trials_are_counted_in_whole_numbers_as_in_scipy():
    for function in ("logpmf", "cdf", "sf"):
        found = getattr(stats.binom, function)(1.0, np.array([2.0, 2.5, 3.0]), 0.5)
        with np.errstate(all="ignore"):
            require_close(found, getattr(scipy.stats.binom, function)(1.0, np.array([2.0, 2.5, 3.0]), 0.5), function)


def test_half_of_students_numbers_lie_below_0_for_any_degrees_of_freedom():
    df = np.array([1e-3, 0.5, 3.0, 200.0, 201.0, 1e5, 1e15, 1e160, np.inf])
    require_close(stats.t.cdf(0.0, df), np.full(9, 0.5))
    require_close(stats.t.sf(-1.0, np.array([1e15])), [0.8413447460685429])


def test_infinitely_many_degrees_of_freedom_are_the_normal_distribution():
    z = np.array([0.0, 1.0, -2.5, 20.0, -1e5])
    with jax_in_double():
        for name in ("logpdf", "pdf", "cdf", "sf"):
            t, normal = (getattr(family, name) for family in (stats.t, scipy.stats.norm))
            slopes = {"logpdf": -z, "pdf": -z * normal(z) if name == "pdf" else 0.0}
            slopes |= {"cdf": scipy.stats.norm.pdf(z), "sf": -scipy.stats.norm.pdf(z)}
            for run in (t, adjoint.jit(t)):
                require_close(np.asarray(run(z, np.inf)), normal(z), name)
                v = Value(z)
                run(v, np.inf).sum().backward()
                require_close(v.grad, slopes[name], name)


def test_compiled_tails_of_few_degrees_of_freedom_reach_infinity():
    df = np.array([0.01, 0.01, 0.5, 3.0, 0.01, 150.0, 0.5])
    z = np.array([1e60, -1e100, -1e30, 1e9, np.inf, -np.inf, 0.3])
    with jax_in_double():
        require_close(np.asarray(adjoint.jit(stats.t.cdf)(z, df)), stats.t.cdf(z, df), each=True)
        require_close(np.asarray(adjoint.jit(stats.t.sf)(z, df)), stats.t.sf(z, df), each=True)
    with mp.workdps(60):
        require_close(stats.t.sf(1e60, 0.01), float(t_sf(mp.mpf(1e60), mp.mpf(0.01))))


VALID = {"df": 3.0, "a": 2.5, "b": 1.5, "s": 2.0, "c": 2.0, "n": 5.0, "p": 0.3, "mu": 2.0}


@pytest.mark.parametrize("family", sorted({name.split(".")[0] for name in ROWS} - {"vonmises"}))
def test_a_parameter_out_of_its_range_gives_nan_everywhere(family):
    distribution, x = getattr(stats, family), np.array([-np.inf, -5.0, 0.0, 0.5, 1.0, 5.0, np.inf])
    for shape in distribution.shapes:
        for wrong in (math.nan, -1.0):
            parameters = {name: VALID[name] for name in distribution.shapes} | {shape: wrong}
            for name in ("cdf", "sf", "logcdf", "logsf"):
                assert np.isnan(getattr(distribution, name)(x, **parameters)).all(), (name, parameters)


COMPILED = ("t.cdf", "cauchy.cdf", "binom.logpmf", "binom.cdf", "lognorm.cdf", "gamma.cdf", "poisson.logpmf")


@pytest.mark.parametrize("name", [COMPILED[0], *[pytest.param(name, marks=pytest.mark.full) for name in COMPILED[1:]]])
def test_compiled_distributions_give_the_same(name):
    with jax_in_double():
        some = dataclasses.replace(ROWS[name], points=ROWS[name].points[:2])
        require_right(some, "float64", compiled, ulps=8)  # JAX's own functions have fewer digits
