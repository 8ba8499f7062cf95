"""Every function of `adjoint.special` against mpmath: values and slopes, in both precisions, from 1e-160 to 1e160."""

import math

import mpmath as mp
import numpy as np
import pytest
import scipy.special
from arrays import jax_in_double
from closeness import require_close
from high_precision import compiled, eager, numbers, require_right, row

import adjoint
from adjoint import Value, special, stats

SMALL = (1e-160, 1e-30, 1e-9, 1e-3)
MEDIUM = (0.2, 0.7, 1.0 + 1e-9, 1.3, 1.4616, 2.0 - 1e-9, 2.3, 5.5, 11.9, 30.25)
LARGE = (1e3, 1e5, 1e10, 1e15, 1e30, 1e160)
POSITIVE = (*SMALL, *MEDIUM, *LARGE)
SIGNED = (*POSITIVE, *[-x for x in POSITIVE])
POLES = (-0.5, -1.0 + 1e-6, -1.0 - 1e-6, -2.457, -7.3, -20.75, -1000.5, -12345.25)
SHARES = (1e-160, 1e-30, 1e-9, 0.01, 0.3, 0.5 + 1e-9, 0.8, 0.99, 1 - 1e-9, 1 - 2.0**-52)
SIDES = (1e-9, 0.5, 2.0 - 1e-9, 7.3, 40.0, 1e5, 1e10, 1e15)
PAIRS = tuple((a, b) for a in SIDES for b in (1e-3, 0.5, 3.0, 25.0, 1e5, 1e15))
SHAPES = (0.01, 0.5, 3.0, 50.0, 199.0, 201.0, 1e3, 1e5, 1e10, 1e15)
NEAR_MODE = tuple((a, a + z * a**0.5) for a in SHAPES for z in (-5.0, -0.5, 0.0, 0.7, 6.0) if a**0.5 + z > 0)
AROUND = ((0.5, 1e-30), (0.5, 1e-3), (0.5, 30.0), (3.0, 1e-9), (3.0, 100.0), (50.0, 1.0), (201.0, 60.0), (201.0, 500.0))


def inverse(function, slope, guess):
    """Return the inverse of a reference by Newton's method on its logarithm, starting from SciPy's value."""

    def solve(y):
        x = mp.mpf(float(getattr(scipy.special, guess)(float(y))))
        for _ in range(8):
            f = function(x)
            x -= mp.log(f / y) * f / slope(x)
        return x

    return solve


def erf_slope(x):
    return 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)


def ncdf(x):
    return mp.erfc(-x * mp.sqrt(mp.mpf(1) / 2)) / 2


def normal(x):
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def log_ncdf(x):
    return mp.log(ncdf(x)) if x < 0 else mp.log1p(-ncdf(-x))


erfinv = inverse(mp.erf, erf_slope, "erfinv")
erfcinv = inverse(mp.erfc, lambda x: -erf_slope(x), "erfcinv")
ndtri = inverse(ncdf, normal, "ndtri")


def lgamma(x):
    return mp.re(mp.loggamma(x))


def betaln(a, b):
    with mp.extradps(60):
        return lgamma(a) + lgamma(b) - lgamma(a + b)


def gamma_density(a, x):
    return mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))


def beta_density(a, b, x):
    return mp.exp((a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x) - betaln(a, b))


def integral(density, x, width, side):
    """Return the integral of a density from x outward, whose falls are seen in steps of `width`."""
    with mp.workdps(40):
        steps = [x + side * width * k for k in (0, 0.5, 1, 2, 3, 4, 6, 8, 11, 14, 18, 24)]
        return side * mp.quad(density, steps)


def gammainc(a, x, upper=False):
    if a > 2000:
        slope = abs(x - a) / a
        width = 3 / max(slope, 1 / mp.sqrt(a))
        above = x >= a
        tail = integral(
            lambda t: gamma_density(a, t), x, min(width, x / 25) if not above else width, 1 if above else -1
        )
        return tail if above == upper else 1 - tail
    return mp.gammainc(a, x, regularized=True) if upper else mp.gammainc(a, 0, x, regularized=True)


def betainc(a, b, x):
    if min(a, b) > 2000:
        mean = a / (a + b)
        spread = mp.sqrt(mean * (1 - mean) / (a + b))
        above = x >= mean
        tail = integral(lambda t: beta_density(a, b, t), x, spread / max(abs(x - mean) / spread, 1), 1 if above else -1)
        return 1 - tail if above else tail
    return mp.betainc(a, b, 0, x, regularized=True)


def sinc(x):
    return mp.sinpi(x) / (mp.pi * x) if x else mp.mpf(1)


def bessel(n, scaled):
    return lambda x: mp.besseli(n, x) * (mp.exp(-abs(x)) if scaled else 1)


def softmax(x, z):
    return 1 / (1 + mp.exp(z - x))


def of(name, *constants):
    return lambda *xs: getattr(special, name)(*constants, *xs)


def rows(name):
    return lambda *xs: getattr(special, name)(adjoint.stack(xs), axis=0)


def first(name):
    return lambda *xs: rows(name)(*xs)[0]


GAMMA = tuple(x for x in (*SMALL[1:], *MEDIUM, 100.0, 170.0, *POLES[:6]))
BESSEL = (*SMALL, 0.5, 3.0, 15.0, 19.9, 20.1, 33.0, 80.0)
TABLE = {
    "gammaln": row(of("gammaln"), lgamma, (*POSITIVE, *POLES), slopes=(mp.digamma,)),
    "gamma": row(of("gamma"), mp.gamma, GAMMA),
    "digamma": row(of("digamma"), mp.digamma, (*POSITIVE, *POLES), slopes=(lambda x: mp.psi(1, x),)),
    "psi": row(of("psi"), mp.digamma, MEDIUM, slopes=(lambda x: mp.psi(1, x),)),
    "polygamma": row(
        of("polygamma", 1), lambda x: mp.psi(1, x), (*POSITIVE[1:], *POLES), slopes=(lambda x: mp.psi(2, x),)
    ),
    "betaln": row(of("betaln"), betaln, (*PAIRS, (1e-300, 1e15)), variables=(0, 1)),
    "beta": row(of("beta"), lambda a, b: mp.exp(betaln(a, b)), PAIRS, variables=(0, 1), exponent=True),
    "multigammaln": row(
        lambda a: special.multigammaln(a, 3),
        lambda a: 1.5 * mp.log(mp.pi) + sum(lgamma(a - mp.mpf(i) / 2) for i in range(3)),
        (1.2, 2.0, 5.5, 1e5, 1e15),
    ),
    "gammainc": row(
        of("gammainc"), gammainc, (*NEAR_MODE, *AROUND), slopes=(gamma_density,), variables=(1,), exponent=True
    ),
    "gammaincc": row(
        of("gammaincc"),
        lambda a, x: gammainc(a, x, True),
        (*NEAR_MODE, *AROUND),
        slopes=(lambda a, x: -gamma_density(a, x),),
        variables=(1,),
        exponent=True,
    ),
    "betainc": row(
        of("betainc"),
        betainc,
        (
            (0.5, 0.5, 0.3),
            (0.5, 2.0, 1e-30),
            (3.0, 0.5, 0.99),
            (7.0, 30.0, 0.2),
            (30.0, 1e3, 0.04),
            (250.0, 300.0, 0.4),
            (1e3, 1e5, 0.011),
            (1e5, 1e5, 0.5),
            (1e5, 1e5, 0.498),
            (1e10, 3e10, 0.25 + 2e-6),
            (1e15, 1e15, 0.5 + 1e-8),
        ),
        slopes=(beta_density,),
        variables=(2,),
        exponent=True,
    ),
    "erf": row(of("erf"), mp.erf, (*SIGNED[:-4], -30.0), slopes=(erf_slope,)),
    "erfc": row(
        of("erfc"),
        mp.erfc,
        (*SMALL, *MEDIUM[:8], 9.0, 26.0, -3.0, -1e5),
        slopes=(lambda x: -erf_slope(x),),
        exponent=True,
    ),
    "erfinv": row(
        of("erfinv"), erfinv, (*SMALL, 0.3, 0.5, 0.9, 1 - 1e-9, -0.7), slopes=(lambda y: 1 / erf_slope(erfinv(y)),)
    ),
    "erfcinv": row(
        of("erfcinv"),
        erfcinv,
        (*SHARES[:-1], 1.5, 2 - 1e-9),
        slopes=(lambda y: -1 / erf_slope(erfcinv(y)),),
        exponent=True,
    ),
    "ndtr": row(of("ndtr"), ncdf, (*SMALL, *MEDIUM, *[-x for x in MEDIUM], -37.0), slopes=(normal,), exponent=True),
    "ndtri": row(of("ndtri"), ndtri, SHARES[:-1], slopes=(lambda y: 1 / normal(ndtri(y)),), exponent=True),
    "log_ndtr": row(
        of("log_ndtr"),
        log_ncdf,
        (*SMALL, *MEDIUM[:8], -0.3, -4.9, -5.1, -40.0, -1e5, -1e10),
        slopes=(lambda x: normal(x) / ncdf(x),),
        exponent=True,
    ),
    # y (1 - y), the slope of expit, has only absolute digits for large x, as in PyTorch
    "expit": row(of("expit"), lambda x: 1 / (1 + mp.exp(-x)), (*SMALL, *MEDIUM[:7], -3.0, -50.0, -80.0), exponent=True),
    "logit": row(of("logit"), lambda x: mp.log(x / (1 - x)), SHARES),
    "log_expit": row(of("log_expit"), lambda x: -mp.log1p(mp.exp(-x)), (*SMALL, *MEDIUM, -3.0, -1e5, -1e160)),
    "xlogy": row(
        of("xlogy"), lambda x, y: x * mp.log(y), ((2.0, 1e160), (1e160, 1 + 1e-9), (-3.0, 0.2)), variables=(0, 1)
    ),
    "xlog1py": row(
        of("xlog1py"), lambda x, y: x * mp.log1p(y), ((2.0, 1e160), (1e100, 1e-9), (-3.0, -0.9)), variables=(0, 1)
    ),
    "entr": row(of("entr"), lambda x: -x * mp.log(x), POSITIVE[:-1]),
    "rel_entr": row(
        of("rel_entr"),
        lambda x, y: x * mp.log(x / y),
        ((2.0, 3.0), (1e15, 1e15 + 8), (1.0, 1 + 1e-9), (1e-160, 1e160)),
        variables=(0, 1),
    ),
    "kl_div": row(
        of("kl_div"),
        lambda x, y: x * mp.log(x / y) - x + y,
        ((2.0, 3.0), (1e15, 1e15 + 8), (1.0, 1 + 1e-9), (1e-160, 1e160)),
        variables=(0, 1),
    ),
    "i0": row(of("i0"), bessel(0, False), (*BESSEL, -3.0, 700.0, 712.0), exponent=True),
    "i1": row(of("i1"), bessel(1, False), (*BESSEL, -3.0, 700.0, 712.0), exponent=True),
    "i0e": row(
        of("i0e"), bessel(0, True), (*BESSEL, -3.0, 1e3, 1e5), ulps=128
    ),  # the terms of its slope cancel near 20
    "i1e": row(of("i1e"), bessel(1, True), (*BESSEL, -3.0, 1e3, 1e5), ulps=128),
    "sinc": row(of("sinc"), sinc, (*SMALL, *MEDIUM, 1e5, -0.3)),
    "logsumexp": row(
        rows("logsumexp"),
        lambda x, z: mp.log(mp.exp(x) + mp.exp(z)),
        ((1.0, 3.0), (-1e3, 40.0), (1e5, 1e5)),
        variables=(0, 1),
    ),
    "softmax": row(
        first("softmax"), softmax, ((1.0, 3.0), (-1e3, -980.0), (1e5, 1e5)), variables=(0, 1), exponent=True
    ),
    "log_softmax": row(
        first("log_softmax"),
        lambda x, z: mp.log(softmax(x, z)),
        ((1.0, 3.0), (-1e3, -980.0), (1e5, 1e5)),
        variables=(0, 1),
    ),
}


def test_every_special_function_has_its_row():
    assert {*TABLE} == {*special.__all__}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", TABLE)
def test_values_and_slopes_are_as_right_as_their_operands_allow(name, dtype):
    require_right(TABLE[name], dtype)


@pytest.mark.parametrize("name", [name for name in TABLE if "softmax" not in name and name != "logsumexp"])
def test_plain_numbers_give_the_same(name):
    require_right(TABLE[name], "float64", numbers, only=3)


OURS = (
    "digamma",
    "polygamma",
    "betaln",
    "gammaincc",
    "betainc",
    "i0e",
    "kl_div",
)  # which JAX does not have, or not right


@pytest.mark.parametrize(
    "name", [name if name in OURS else pytest.param(name, marks=pytest.mark.full) for name in TABLE]
)
def test_compiled_programs_give_the_same(name):
    with jax_in_double():
        require_right(TABLE[name], "float64", compiled, ulps=8, only=3)  # 8: JAX's own functions have fewer digits


def test_poles_have_one_value_everywhere():
    with jax_in_double():
        for function, expected in ((special.digamma, -math.inf), (adjoint.grad(special.gammaln), -math.inf)):
            assert function(0.0) == adjoint.jit(function)(0.0) == expected
        poles = np.array([0.0, -1.0, -2.0])
        for run in (special.digamma, adjoint.jit(special.digamma)):
            require_close(np.asarray(run(poles)), [-math.inf, math.nan, math.nan])
        assert special.gammaln(-1.0) == adjoint.jit(special.gammaln)(-1.0) == math.inf
        assert special.betaln(0.0, 0.0) == adjoint.jit(special.betaln)(0.0, 0.0) == math.inf


def test_the_beta_function_of_negative_numbers_has_its_sign():
    a, b = np.array([-0.5, -1.5, -1.5, -2.25, 2.0]), np.array([0.72, 0.3, -2.7, 0.5, 3.0])
    expected = scipy.special.beta(a, b)
    slopes = expected * (scipy.special.digamma(a) - scipy.special.digamma(a + b))
    with jax_in_double():
        for run in (special.beta, adjoint.jit(special.beta)):
            require_close(np.asarray(run(a, b)), expected)
            v = Value(a)
            run(v, b).sum().backward()
            require_close(v.grad, slopes)


@pytest.mark.parametrize(("dtype", "condition"), [("float64", 1.0), ("float32", 30.0)])
def test_compiled_shares_keep_their_digits_where_one_parameter_is_large(dtype, condition):
    """JAX's own function subtracts logarithms of gamma functions. In float32 the exponents, up to 30, are rounded."""
    points = [(3.0, 1e5, 3e-5), (150.0, 1e5, 1.6e-3), (1e5, 3.0, 0.9999), (0.13, 4e10, 3e-12), (4.0, 1e10, 3e-10),
              (0.5, 1e15, 1e-15), (3.0, 1e7, 1e-6), (2e-10, 1e9, 2e-19), (2.0, 3.0, 0.3), (0.5, 0.5, 1.0)]  # fmt: skip
    a, b, x = (np.array(column, dtype) for column in zip(*points))
    with mp.workdps(40):  # SciPy's has 12 digits
        expected = [betainc(*(mp.mpf(float(z)) for z in point)) for point in zip(a, b, x)]
        below, above = ([float(p) for p in each] for each in (expected, [1 - p for p in expected]))
    with jax_in_double():
        lower = np.asarray(adjoint.jit(special.betainc)(a, b, x))
        upper = np.asarray(adjoint.jit(stats.beta.sf)(x, a, b))
    assert lower.dtype == upper.dtype == dtype
    require_close(lower, np.array(below), condition=condition, dtype=dtype, each=True)
    require_close(upper, np.array(above), condition=condition, dtype=dtype, scale=1.0)


def test_the_slope_of_asinh_and_the_angle_do_not_overflow():
    for run in (eager, numbers):
        for dtype in ("float64", "float32")[: 2 if run is eager else 1]:
            require_right(row(adjoint.asinh, mp.asinh, (0.3, -1e5, 1e160, -1e15, 1e30)), dtype, run)
            angle = row(adjoint.atan2, mp.atan2, ((1e160, 1e160), (1e-170, 1e-170), (3.0, -1e30)), variables=(0, 1))
            require_right(angle, dtype, run)
