"""Densities of the gamma, beta and t distributions and their tails, for parameters of any size, in any array library.

The usual formulas subtract logarithms of gamma functions as large as a·log(a), which leaves no digits for large
parameters. Here a density is what it is at its mode, times the exponential of a deviance that is 0 there (the method of
Loader). The tail of a distribution with large parameters is an integral over its density, in a coordinate in which the
logarithm of the density is concave, by the quadrature of Gauss and Legendre from the point outward.

`xp` is NumPy or a library such as it. `gammaln` and `betaln` are functions of that library.
"""

import math
from functools import cache

import numpy as np

_HALF_LOG_2_PI = 0.5 * math.log(2 * math.pi)
# B_2, B_4, …: the numbers of Bernoulli
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
MANY = 200.0  # parameters above this have their tails from the integral
_FALL = 40.0  # the integral ends where the density has fallen by exp(-40)


def log_less(xp, ratio, excess):
    """Return log(ratio) - excess, where excess is ratio - 1, with correct digits also near 0."""
    near = xp.abs(excess) < 0.5
    u = xp.where(near, excess, 0.0)
    r = u / (2 + u)
    square, series = r * r, 0 * u
    for k in range(17, -1, -1):
        series = series * square + 1 / (2 * k + 3)
    return xp.where(near, 2 * r * square * series - u * r, xp.log(xp.where(near, 1.0, ratio)) - excess)


def _expm1_less(xp, s):
    """Return exp(s) - 1 - s, with correct digits also near 0."""
    near = xp.abs(s) < 1
    t, series = xp.where(near, s, 0.0), 0 * s
    for k in range(18, 1, -1):
        series = (series * t + 1) / k
    return xp.where(near, series * t * t, xp.expm1(xp.where(near, 0.0, s)) - s)


def stirling_rest(xp, gammaln, a):
    """Return gammaln(a) less Stirling's formula, (a - 1/2) log(a) - a + log(2π) / 2; a is positive."""
    large = a >= 10
    high, low = xp.where(large, a, 10.0), xp.where(large, 1.0, a)
    inverse = 1 / high
    square, series = inverse * inverse, 0 * high
    for k in range(len(BERNOULLI), 0, -1):
        series = series * square + BERNOULLI[k - 1] / (2 * k * (2 * k - 1))
    direct = gammaln(low) - (low - 0.5) * xp.log(low) + low - _HALF_LOG_2_PI
    return xp.where(large, series * inverse, direct)


def betaln_of_positive(xp, gammaln, a, b):
    """Return the logarithm of the beta function of positive a and b."""
    low, high = xp.minimum(a, b), xp.maximum(a, b)
    p, q = xp.where(low >= 10, low, 10.0), xp.where(high >= 10, high, 10.0)
    rest = stirling_rest(xp, gammaln, p) + stirling_rest(xp, gammaln, q) - stirling_rest(xp, gammaln, p + q)
    both = _HALF_LOG_2_PI + rest - 0.5 * xp.log(p) - p * xp.log1p(q / p) - (q - 0.5) * xp.log1p(p / q)
    small = xp.where(low >= 10, 1.0, low)
    share = small / q
    turned = small * (1 - xp.log(q)) - (small + q - 0.5) * xp.log1p(share)
    turned = turned + stirling_rest(xp, gammaln, q) - stirling_rest(xp, gammaln, small + q)
    one = gammaln(small) + turned
    c, d = xp.where(high >= 10, 1.0, low), xp.where(high >= 10, 1.0, high)
    neither = gammaln(c) + gammaln(d) - gammaln(c + d)
    return xp.where(low >= 10, both, xp.where(high >= 10, one, neither))


def log_gamma_peak(xp, gammaln, a, x):
    """Return log(xᵃ e⁻ˣ / Γ(a)) of positive a and x: of the density per logarithm of x."""
    large = a >= 10
    p = xp.where(large, a, 10.0)
    at = xp.where(large, x, 10.0)
    steep = 0.5 * xp.log(p) - _HALF_LOG_2_PI - stirling_rest(xp, gammaln, p) + p * log_less(xp, at / p, (at - p) / p)
    small = xp.where(large, 1.0, a)
    return xp.where(large, steep, small * xp.log(x) - x - gammaln(small))


def log_beta_peak(xp, gammaln, a, b, x, y):
    """Return log(xᵃ yᵇ / B(a, b)) of positive a, b, x and y = 1 - x: of the density per logit of x."""
    large = xp.minimum(a, b) >= 10
    p, q = xp.where(large, a, 10.0), xp.where(large, b, 10.0)
    u, v = xp.where(large, x, 0.5), xp.where(large, y, 0.5)
    n, off = p + q, u * q - v * p  # off is n x - a, without the rounding of 1 - x
    steep = p * log_less(xp, u * (n / p), off / p) + q * log_less(xp, v * (n / q), -off / q)
    rest = stirling_rest(xp, gammaln, n) - stirling_rest(xp, gammaln, p) - stirling_rest(xp, gammaln, q)
    steep = steep + rest + 0.5 * (xp.log(p) - xp.log1p(p / q)) - _HALF_LOG_2_PI
    c, d = xp.where(large, 1.0, a), xp.where(large, 1.0, b)
    log_x = xp.where(x > 0.5, xp.log1p(-xp.minimum(y, 0.5)), xp.log(x))
    log_y = xp.where(y > 0.5, xp.log1p(-xp.minimum(x, 0.5)), xp.log(y))
    return xp.where(large, steep, c * log_x + d * log_y - betaln_of_positive(xp, gammaln, c, d))


# --- the functions of NumPy and JAX -----------------------------------------------------------------------------


def _positive(xp, *operands):
    """Return whether all are positive and finite, and each of them, or 1 where not all are."""
    inside = True
    for x in operands:
        inside = inside & (x > 0) & (x < math.inf)
    return inside, *[xp.where(inside, x, 1.0) for x in operands]


def betaln(xp, gammaln, a, b):
    inside, p, q = _positive(xp, a, b)
    low, high = xp.minimum(a, b), xp.maximum(a, b)
    ends = xp.where((low > 0) & (high == math.inf), -math.inf, gammaln(a) + gammaln(b) - gammaln(a + b))
    ends = xp.where((low == 0) & (high == 0), math.inf, ends)
    return xp.where(inside, betaln_of_positive(xp, gammaln, p, q), ends)


def _power(xp, a, log_x):
    """Return (a - 1) log(x), which is 0 for a = 1."""
    return xp.where(a == 1, 0.0, (a - 1) * log_x)


def log_gamma_density(xp, gammaln, a, x):
    """Return log(xᵃ⁻¹ e⁻ˣ / Γ(a)): the density of the gamma distribution."""
    inside, p, u = _positive(xp, a, x)
    ends = _power(xp, a, xp.log(x)) - x - gammaln(a)
    found = xp.where(inside, log_gamma_peak(xp, gammaln, p, u) - xp.log(u), ends)
    return xp.where((a > 0) & (x >= 0), found, math.nan)


def log_beta_density(xp, gammaln, a, b, x):
    """Return log(xᵃ⁻¹ (1 - x)ᵇ⁻¹ / B(a, b)): the density of the beta distribution."""
    inside, p, q = _positive(xp, a, b)
    inside = inside & (x > 0) & (x < 1)
    u = xp.where(inside, x, 0.5)
    powers = _power(xp, a, xp.log(x)) + _power(xp, b, xp.log1p(-x))
    peak = log_beta_peak(xp, gammaln, p, q, u, 1 - u) - xp.log(u) - xp.log1p(-u)
    found = xp.where(inside, peak, powers - betaln(xp, gammaln, a, b))
    return xp.where((a > 0) & (b > 0) & (x >= 0) & (x <= 1), found, math.nan)


def log_binomial(xp, gammaln, n, k, p):
    """Return log(n! / (k! (n - k)!) pᵏ (1 - p)ⁿ⁻ᵏ), for whole k from 0 to n."""
    inside, success, failure = _positive(xp, k, n - k)
    inside = inside & (p > 0) & (p < 1)
    u = xp.where(inside, p, 0.5)
    peak = log_beta_peak(xp, gammaln, success, failure, u, 1 - u) + xp.log1p(success / failure) - xp.log(success)
    powers = xp.where(k == 0, 0.0, k * xp.log(p)) + xp.where(k == n, 0.0, (n - k) * xp.log1p(-p))
    return xp.where(inside, peak, powers + 0 * p)


def log_negative_binomial(xp, gammaln, k, n, p):
    """Return log(Γ(n + k) / (Γ(n) k!) pⁿ (1 - p)ᵏ), for whole k from 0."""
    inside, failure, success = _positive(xp, k, n)
    inside = inside & (p > 0) & (p < 1)
    u = xp.where(inside, p, 0.5)
    peak = log_beta_peak(xp, gammaln, success, failure, u, 1 - u) - xp.log(failure)
    powers = xp.where(n == 0, 0.0, n * xp.log(p)) + xp.where(k == 0, 0.0, k * xp.log1p(-p))
    return xp.where(inside, peak, powers + 0 * (p + k))


def log_poisson(xp, gammaln, k, mu):
    """Return log(μᵏ e^-μ / k!), for whole k from 0."""
    inside, count, mean = _positive(xp, k, mu)
    ends = xp.where(k == 0, 0.0, k * xp.log(mu)) - mu + 0 * k
    return xp.where(inside, log_gamma_peak(xp, gammaln, count, mean) - xp.log(count), ends)


def digamma_gap(xp, digamma, a, b):
    """Return digamma(a + b) - digamma(a), without cancellation where a is positive and b is not negative."""
    valid = (a > 0) & (b >= 0)
    low, b1 = xp.where(valid, a, 1.0), xp.where(valid, b, 1.0)
    total = 0 * low
    for _ in range(12):
        small = low < 12
        total = total + xp.where(small, b1 / (low + b1) / low, 0.0)  # b1 / low may overflow
        low = low + xp.where(small, 1.0, 0.0)
    ratio = xp.log1p(b1 / low)
    total = total + ratio + 0.5 * (b1 / low) / (low + b1)
    power = inverse_square = 1 / (low * low)
    for k, number in enumerate(BERNOULLI, 1):
        total = total - number / (2 * k) * power * xp.expm1(-2 * k * ratio)
        power = power * inverse_square
    return xp.where(valid, total, digamma(a + b) - digamma(a))


def log_t_norm(xp, gammaln, df):
    """Return the logarithm of the density of Student's t at 0."""
    rest = stirling_rest(xp, gammaln, 0.5 * (df + 1)) - stirling_rest(xp, gammaln, 0.5 * df)
    return rest + 0.5 * df * log_less(xp, 1 + 1 / df, 1 / df) - _HALF_LOG_2_PI


def log_t_norm_slope(xp, digamma, df):
    """Return the derivative of `log_t_norm`."""
    large = df >= 20
    low, high = xp.where(large, 1.0, df), xp.where(large, df, 20.0)
    difference, square = 0 * high, 1 / (high * high)
    for x, sign in ((0.5 * (high + 1), 0.5), (0.5 * high, -0.5)):
        power = inverse_square = 1 / (x * x)
        for k, number in enumerate(BERNOULLI, 1):
            difference = difference - sign * number / (2 * k) * power
            power = power * inverse_square
    steep = difference + 0.5 * log_less(xp, 1 + 1 / high, 1 / high) + 0.5 * square / (1 + 1 / high)
    return xp.where(large, steep, 0.5 * (digamma_gap(xp, digamma, 0.5 * low, 0.5 + 0 * low) - 1 / low))


MOST_REFLECTED = 100  # the largest order of polygamma of negative numbers


def _cotangent_derivative(n: int) -> list[float]:
    """Return the coefficients of the derivative n of cot(x), as a polynomial in cot(x)."""
    found = [0, 1]
    for _ in range(n):  # the derivative of cᵏ is -k (cᵏ⁻¹ + cᵏ⁺¹)
        slope = [k * c for k, c in enumerate(found)]
        found = [-(before + after) for before, after in zip([*slope[1:], 0, 0], [0, *slope])]
    return [float(c) for c in found]


def reflected_polygamma(xp, n: int, mirrored, x):
    """Return polygamma(n, x) of negative x, given that of 1 - x."""
    cotangent = 1 / xp.tan(math.pi * (x - xp.round(x)))
    polynomial = 0 * x
    for c in reversed(_cotangent_derivative(n)):
        polynomial = polynomial * cotangent + c
    return (-1) ** n * mirrored - math.pi ** (n + 1) * polynomial


# --- tails: integrals over the density --------------------------------------------------------------------------


@cache
def _nodes() -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes between 0 and 1 and the weights of Gauss and Legendre."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    return (nodes + 1) / 2, weights / 2


def _integral(xp, drop, span, *parameters):
    """Return the integral of exp(-drop(s)) for s between 0 and `span`."""
    nodes, weights = (xp.asarray(each, dtype=span.dtype) for each in _nodes())
    heights = xp.exp(-drop(span[..., None] * nodes, *[x[..., None] for x in parameters]))
    return span * xp.sum(heights * weights, -1)


def gamma_tail(xp, gammaln, a, x):
    """Return the probability beyond x, seen from the mode a, of the gamma distribution of a large shape a."""
    side = xp.where(x >= a, 1.0, -1.0)
    slope = xp.abs(x - a)
    span = xp.minimum(_FALL / xp.maximum(slope, 1e-30), 1.25 * xp.sqrt(2 * _FALL / x))
    tail = _integral(xp, lambda s, x, slope, side: slope * s + x * _expm1_less(xp, side * s), span, x, slope, side)
    return xp.exp(log_gamma_peak(xp, gammaln, a, x)) * tail


def beta_tail(xp, gammaln, a, b, x, y):
    """Return the probability beyond x, seen from a / (a + b), of the beta distribution; x is at most 1/2.

    Both parameters are large, or b is and x is above a / (a + b).
    """
    n, off = a + b, x * b - y * a
    side, slope = xp.where(off >= 0, 1.0, -1.0), xp.abs(off)
    span = xp.minimum(_FALL / xp.maximum(slope, 1e-30), 1.25 * xp.sqrt(2 * _FALL / (n * x * y)))
    upward = xp.log1p(xp.expm1((_FALL + a * span) / n) / x)
    span = xp.where(side > 0, xp.minimum(span, upward), span)

    def drop(s, n, x, slope, side):
        growth = xp.expm1(side * s)
        curved = log_less(xp, 1 + x * growth, x * growth) + x * _expm1_less(xp, side * s)
        return slope * s + n * curved

    return xp.exp(log_beta_peak(xp, gammaln, a, b, x, y)) * _integral(xp, drop, span, n, x, slope, side)


def t_tail(xp, gammaln, df, z):
    """Return P(T > z) of Student's distribution for a large `df` and z of at least 0."""
    w = z / xp.sqrt(df)
    slope = w / xp.hypot(1.0 + 0 * w, w)
    span = xp.minimum(_FALL / xp.maximum(df * slope, 1e-30), 1.25 * xp.sqrt(2 * _FALL / df))
    tail = _integral(
        xp, lambda s, df, slope: df * xp.log1p(2 * xp.sinh(s / 2) ** 2 + slope * xp.sinh(s)), span, df, slope
    )
    return xp.sqrt(df) * xp.exp(log_t_norm(xp, gammaln, df) - 0.5 * df * log1p_square(xp, w)) * tail


def log1p_square(xp, w):
    """Return log(1 + w²), also where w² overflows."""
    size = xp.abs(w)
    low, high = xp.minimum(size, 1.0), xp.maximum(size, 1.0)
    return xp.where(size > 1, 2 * xp.log(high) + xp.log1p((1 / high) ** 2), xp.log1p(low * low))
