"""Special functions of NumPy arrays, which NumPy does not provide; the other libraries have their own.

All of them compute in float64, whatever the dtype of the operands. The methods are the usual ones: recurrences into the
region of an asymptotic series, power series, continued fractions, and Newton's method; what needs large parameters is
in `special_densities.py`. tests/arrays/functions/test_special_accuracy.py says how accurate they are.
"""

import math
from collections.abc import Callable
from functools import wraps

import numpy as np

import adjoint.arrays.backends.special_densities as densities
from adjoint.arrays.backends.special_bessel import scaled_bessel, scaled_bessel_slope
from adjoint.arrays.backends.special_densities import BERNOULLI as _BERNOULLI, MANY

_HALF_LOG_2_PI = 0.5 * math.log(2 * math.pi)
_SHIFT = 12  # where the asymptotic series start
_MOST = 20_000  # terms of a series; few are needed
_BLOCK = 20_000  # elements of an array that a function with many numbers for each element computes at once


def _of_arrays(function: Callable) -> Callable:
    """Compute in float64 and return the dtype of the operands; a number for numbers."""

    @wraps(function)
    def whole(*operands):
        arrays = np.broadcast_arrays(*[np.asarray(x, np.float64) for x in operands])
        with np.errstate(all="ignore"):
            found = function(*[np.atleast_1d(x) for x in arrays]).reshape(arrays[0].shape)
        dtype = np.result_type(*operands)
        return found.astype(dtype if dtype.kind == "f" else np.float64, copy=False)[()]

    return whole


def _each(function: Callable[[float], float]) -> Callable:
    """Apply a function of the `math` module to each element."""
    return _of_arrays(lambda x: np.fromiter(map(function, x.ravel().tolist()), np.float64, x.size))


# --- the gamma function ----------------------------------------------------------------------------------------


def gammaln_of_number(x: float) -> float:
    """Return `math.lgamma(x)`, and infinity at the poles and where the result is too large."""
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):
        return math.inf


def gamma_of_number(x: float) -> float:
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.copysign(math.inf, x) if x == 0 else math.nan


gammaln = _each(gammaln_of_number)
gamma = _each(gamma_of_number)


def _from_gammaln(function: Callable) -> Callable:
    return _of_arrays(lambda *operands: function(np, gammaln, *operands))


betaln = _from_gammaln(densities.betaln)
log_gamma_density = _from_gammaln(densities.log_gamma_density)
log_beta_density = _from_gammaln(densities.log_beta_density)
log_binomial = _from_gammaln(densities.log_binomial)
log_negative_binomial = _from_gammaln(densities.log_negative_binomial)
log_t_norm = _from_gammaln(densities.log_t_norm)
log_poisson = _from_gammaln(densities.log_poisson)


@_of_arrays
def digamma(x):
    below = x <= 0
    shifted, total = np.where(below, 1 - x, x), np.zeros_like(x)
    for _ in range(_SHIFT):
        small = shifted < _SHIFT
        total -= np.where(small, 1 / shifted, 0.0)
        shifted = shifted + small
    square = 1 / (shifted * shifted)
    series = np.zeros_like(x)
    for k, b in reversed([*enumerate(_BERNOULLI, 1)]):
        series = (series + b / (2 * k)) * square
    total += np.log(shifted) - 0.5 / shifted - series
    rest = x - np.round(x)
    found = np.where(below, total - np.pi / np.tan(np.pi * rest), total)
    return np.where(x == 0, -np.copysign(np.inf, x), np.where(below & (rest == 0), np.nan, found))


@_of_arrays
def zeta(s, x):
    """Return the zeta function of Hurwitz, Σ 1/(x + k)ˢ, by the formula of Euler and Maclaurin; s is above 1."""
    total, shifted = np.zeros_like(x), x.copy()
    lowest = np.min(x, initial=0.0, where=np.isfinite(x))
    for _ in range(_SHIFT + math.ceil(min(-lowest, 1000.0))):
        small = shifted < _SHIFT
        total += np.where(small, shifted**-s, 0.0)
        shifted = shifted + small
    power = shifted ** (1 - s)
    total += power / (s - 1) + 0.5 * power / shifted
    factor = s * power / shifted / shifted
    for k, b in enumerate(_BERNOULLI, 1):
        total += factor * b / math.factorial(2 * k)
        factor = factor * ((s + 2 * k - 1) / shifted) * ((s + 2 * k) / shifted)
    total = np.where(np.isinf(x) & (x > 0), 0.0, np.where(shifted < _SHIFT, np.nan, total))
    return np.where((x <= 0) & (x == np.floor(x)), np.inf, total)


@_of_arrays
def log_t_norm_slope(df):
    return densities.log_t_norm_slope(np, digamma, df)


@_of_arrays
def digamma_gap(a, b):
    return densities.digamma_gap(np, digamma, a, b)


@_of_arrays
def polygamma(n, x):
    positive = np.where(x > 0, x, np.where(x < 0, 1 - x, x))
    sign = np.where(n % 2 == 1, 1.0, -1.0)
    found = sign * gamma(n + 1) * zeta(n + 1, positive)
    below = (x < 0) & np.isfinite(x)
    for order in np.unique(n[below & (n <= densities.MOST_REFLECTED)]):
        found = np.where(below & (n == order), densities.reflected_polygamma(np, int(order), found, x), found)
    found = np.where((below & (n > densities.MOST_REFLECTED)) | (x == -np.inf), np.nan, found)
    return np.where((x <= 0) & (x == np.floor(x)), sign * np.inf, found)


# --- the incomplete gamma and beta functions, and the t distribution ---------------------------------------------


def _where(chosen, function, *operands):
    """Apply a function to the chosen elements, in blocks; 0 elsewhere."""
    found = np.zeros(chosen.shape)
    places = np.flatnonzero(chosen)
    for block in np.split(places, range(_BLOCK, places.size, _BLOCK)):
        if block.size:
            found.flat[block] = function(*[x.ravel()[block] for x in operands])
    return found


def _gamma_series(a, x):
    """Return Σ xᵏ/((a+1)…(a+k)): the power series of the incomplete gamma function."""
    term, total = np.ones_like(x), np.ones_like(x)
    for k in range(1, _MOST):
        term = term * x / (a + k)
        total += term
        if not np.any(term > 1e-17 * total):
            break
    return total


def _gamma_fraction(a, x):
    """Return the continued fraction of the upper incomplete gamma function, by the method of Lentz."""
    b = x + 1 - a
    c, d = np.full_like(x, 1e300), 1 / b
    h = d
    for k in range(1, _MOST):
        an = -k * (k - a)
        b = b + 2
        d = 1 / _apart_from_0(an * d + b)
        c = _apart_from_0(b + an / c)
        h = h * c * d
        if not np.any(np.abs(c * d - 1) > 5e-16):
            break
    return h


def _apart_from_0(x):
    return np.where(np.abs(x) < 1e-300, 1e-300, x)


def _gamma_lower(a, x):
    return np.exp(densities.log_gamma_peak(np, gammaln, a, x)) / a * _gamma_series(a, x)


def _gamma_upper(a, x):
    return np.exp(densities.log_gamma_peak(np, gammaln, a, x)) * _gamma_fraction(a, x)


def _gamma_upper_of_small(a, x):
    """Return the upper function of a up to 1/2 and a small x, where the lower one may be close to 1."""
    k = np.arange(2.0, 30.0)
    series = np.polyval([*((-1.0) ** k * zeta(k, 2.0) / k)[::-1], 1 - np.euler_gamma, 0.0], a)
    power = a * np.log(x) - (series - np.log1p(a))  # the logarithm of xᵃ / Γ(a + 1)
    term, total = np.ones_like(x), np.zeros_like(x)
    for k in range(1, 40):
        term = -term * x / k
        total += term / (a + k)
    return -np.expm1(power) - np.exp(power) * a * total


def _gamma_tail(a, x):
    return densities.gamma_tail(np, gammaln, a, x)


def _both_gammainc(a, x):
    inside = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    many = inside & (a > MANY)
    below = x < np.where(many, a, a + 1)
    lower = _where(inside & below & ~many, _gamma_lower, a, x)
    upper = _where(inside & ~below & ~many, _gamma_upper, a, x)
    tail = _where(many, _gamma_tail, a, x)
    smaller = np.where(many, tail, np.where(below, lower, upper))
    lower, upper = np.where(below, smaller, 1 - smaller), np.where(below, 1 - smaller, smaller)
    small = inside & (a <= 0.5) & below
    upper = np.where(small, _where(small, _gamma_upper_of_small, a, x), upper)
    # at the ends: x = 0, x = inf, and a = inf, whose distribution lies beyond every finite x
    at_end = 1.0 * (np.isposinf(x) & np.isfinite(a))
    known = ((a > 0) & (x >= 0)) & ~(np.isinf(a) & np.isinf(x))
    lower, upper = np.where(inside, lower, at_end), np.where(inside, upper, 1 - at_end)
    return np.where(known, lower, np.nan), np.where(known, upper, np.nan)


@_of_arrays
def gammainc(a, x):
    return _both_gammainc(a, x)[0]


@_of_arrays
def gammaincc(a, x):
    return _both_gammainc(a, x)[1]


def _beta_fraction(a, b, x):
    """Return the continued fraction of the incomplete beta function, by the method of Lentz."""
    c, d = np.ones_like(x), 1 / _apart_from_0(1 - (a + b) * x / (a + 1))
    h = d
    for k in range(1, _MOST):
        for an in (
            k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k)),
            -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1)),
        ):
            d = 1 / _apart_from_0(1 + an * d)
            c = _apart_from_0(1 + an / c)
            h = h * c * d
        if not np.any(np.abs(c * d - 1) > 5e-16):
            break
    return h


def _beta_from_fraction(a, b, x, y):
    return np.exp(densities.log_beta_peak(np, gammaln, a, b, x, y)) / a * _beta_fraction(a, b, x)


def _beta_tail(a, b, x, y):
    return densities.beta_tail(np, gammaln, a, b, x, y)


def _both_betainc(a, b, x, y):
    """Return I(a, b, x) and 1 - I(a, b, x) of positive a and b, x and y = 1 - x."""
    turned = x > y
    a, b, x, y = np.where(turned, b, a), np.where(turned, a, b), np.where(turned, y, x), np.where(turned, x, y)
    inside = x > 0
    many = np.minimum(a, b) > MANY
    below = np.where(many, x * b < y * a, x * (a + b + 2) < a + 1)
    integral = inside & (many | (~below & (b > 50)))  # the fraction would cancel
    tail = _where(integral, _beta_tail, a, b, x, y)
    tail += _where(inside & ~integral & below, _beta_from_fraction, a, b, x, y)
    tail += _where(inside & ~integral & ~below, _beta_from_fraction, b, a, y, x)
    lower, upper = np.where(below, tail, 1 - tail), np.where(below, 1 - tail, tail)
    return np.where(turned, upper, lower), np.where(turned, lower, upper)


def _betainc(a, b, x):
    known = (a > 0) & (b > 0) & (x >= 0) & (x <= 1) & np.isfinite(a) & np.isfinite(b)
    a, b, x = (np.where(known, each, 0.5) for each in (a, b, x))
    return [np.where(known, each, np.nan) for each in _both_betainc(a, b, x, 1 - x)]


@_of_arrays
def betainc(a, b, x):
    return _betainc(a, b, x)[0]


@_of_arrays
def betaincc(a, b, x):
    """Return 1 - betainc(a, b, x)."""
    return _betainc(a, b, x)[1]


def _t_tail_near_0(df, z):
    w = z / np.sqrt(df)
    return 0.5 * _both_betainc(0.5 * df, np.full_like(df, 0.5), 1 / (1 + w * w), w * w / (1 + w * w))[0]


def _t_tail_far(df, z):
    """Return P(T > z), where 1 / (1 + z² / df), the operand of the beta function, may underflow."""
    w, half, other = z / np.sqrt(df), 0.5 * df, np.full_like(df, 0.5)
    power = -half * densities.log1p_square(np, w) - densities.betaln(np, gammaln, half, other)
    return 0.5 * np.exp(power) / half * (w / np.hypot(1, w)) * _beta_fraction(half, other, 1 / (1 + w * w))


@_of_arrays
def stdtr(df, z):
    """Return the distribution function of Student's t."""
    known, size = (df > 0) & (z == z), np.abs(z)
    inside = known & np.isfinite(df) & np.isfinite(z)
    few, near = inside & (df <= MANY), size <= 2 * np.sqrt(df)
    tail = _where(few & near, _t_tail_near_0, df, size) + _where(few & ~near, _t_tail_far, df, size)
    tail += _where(inside & (df > MANY), lambda df, z: densities.t_tail(np, gammaln, df, z), df, size)
    tail = np.where(np.isinf(df) & np.isfinite(z), 0.5 * erfc(size * math.sqrt(0.5)), tail)
    return np.where(known, np.where(z < 0, tail, 1 - tail), np.nan)


# --- the error function ----------------------------------------------------------------------------------------

erfc = _each(math.erfc)
_erf = _each(math.erf)


def _first_guess(log_product):
    """Return x of erf(x)² = 1 - exp(log_product), to three digits: the formula of Winitzki."""
    t = 2 / (math.pi * 0.147) + log_product / 2
    rest = -log_product / 0.147
    return np.sqrt(np.where(t > 0, rest / (np.sqrt(t * t + rest) + t), np.sqrt(t * t + rest) - t))


def _erfc_inverse(p):
    """Return x of erfc(x) = p for 0 < p < 0.6, by Newton's method on the logarithm."""
    x = _first_guess(np.log(p) + np.log(2 - p))
    for _ in range(5):
        tail = erfc(x)
        x = x + np.log(tail / p) * tail * np.exp(x * x) * (math.sqrt(math.pi) / 2)
    return x


@_of_arrays
def erfinv(y):
    size = np.abs(y)
    small = size < 0.5
    near = np.where(small, size, 0.25)
    x = _first_guess(np.log1p(-near * near))
    for _ in range(3):
        x = x - (_erf(x) - near) * np.exp(x * x) * (math.sqrt(math.pi) / 2)
    far = _erfc_inverse(np.where(small | ~(size < 1), 0.25, 1 - size))
    found = np.copysign(np.where(small, x, far), y)
    found = np.where(y == 0, y, found)
    return np.where(size == 1, np.copysign(np.inf, y), np.where(size < 1, found, np.nan))


@_of_arrays
def ndtri(p):
    tail = np.minimum(p, 1 - p)
    middle = tail > 0.25
    far = -math.sqrt(2) * _erfc_inverse(np.where(middle | ~(tail > 0), 0.25, 2 * tail))
    found = np.where(middle, math.sqrt(2) * erfinv(np.where(middle, 2 * p - 1, 0.0)), np.where(p < 0.5, far, -far))
    edges = np.where(p == 0, -np.inf, np.where(p == 1, np.inf, np.nan))
    return np.where((p > 0) & (p < 1), found, edges)


# --- the functions of Bessel -----------------------------------------------------------------------------------


def ive(n: float, x):
    return _of_arrays(lambda x: scaled_bessel(np, n, x))(x)


def ive_slope(n: float, x):
    return _of_arrays(lambda x: scaled_bessel_slope(np, n, x))(x)


OF_NUMBERS = {"gammaln": gammaln_of_number, "gamma": gamma_of_number, "erfc": math.erfc}  # plain numbers, without NumPy
