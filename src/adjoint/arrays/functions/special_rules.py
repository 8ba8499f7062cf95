"""Rules of special functions: ops that are no rows of the table, because the C library does not have them all.

An array library computes the function itself (`Backend.special`); NumPy's is in `backends/numpy_special.py`. The
derivatives are again functions of this file, so that they exist to any order.
"""

import math
from collections.abc import Callable

import numpy as np

from adjoint.arrays.backends import Backend, numpy_special, special_densities
from adjoint.engine import ops
from adjoint.engine.mathematics.symbols import SymbolMaths
from adjoint.engine.rule import op


def _computed(name: str) -> Callable:
    """Return the forward expression of a function that the array libraries compute."""

    def forward(m, *operands):
        if isinstance(m, Backend):
            return m.special(name)(*operands)
        if isinstance(m, SymbolMaths):
            return getattr(m, name)(*operands)
        if name in numpy_special.OF_NUMBERS and isinstance(operands[0], float):  # not a number that jit records
            return numpy_special.OF_NUMBERS[name](*operands)
        return float(getattr(numpy_special, name)(*map(np.float64, operands)))

    return forward


def _unary(name: str) -> Callable:
    forward = _computed(name)
    return lambda m, x: forward(m, x)


def _binary(name: str) -> Callable:
    forward = _computed(name)
    return lambda m, x, z: forward(m, x, z)


# The order of a function, and the parameters of gammainc and betainc, are never Values: special.py sees to that, and
# their derivatives here are NaN.

# --- the gamma function and its relatives -----------------------------------------------------------------------

gammaln = op("gammaln", _unary("gammaln"), lambda m, y, x: digamma(x))
digamma = op("digamma", _unary("digamma"), lambda m, y, x: polygamma(1.0, x))
gamma = op("gamma", _unary("gamma"), lambda m, y, x: y * digamma(x))
polygamma = op(
    "polygamma",
    _binary("polygamma"),
    lambda m, y, x, z: math.nan,
    lambda m, y, x, z: polygamma(x + 1, z),
)


digamma_gap = op(  # digamma(x + z) - digamma(x)
    "digamma_gap",
    _binary("digamma_gap"),
    lambda m, y, x, z: polygamma(1.0, x + z) - polygamma(1.0, x),
    lambda m, y, x, z: polygamma(1.0, x + z),
)
betaln = op(
    "betaln",
    _binary("betaln"),
    lambda m, y, x, z: -digamma_gap(x, z),
    lambda m, y, x, z: -digamma_gap(z, x),
)


def _gamma_sign(m, x):
    return m.where((x > 0) | m.equal(m.floor(0.5 * m.floor(x)), 0.5 * m.floor(x)), 1.0, -1.0)


signed_beta = op(  # y, the size of the beta function, with its sign
    "signed_beta",
    lambda m, y, x, z: m.where(_gamma_sign(m, x) * _gamma_sign(m, z) * _gamma_sign(m, x + z) < 0, -y, y),
    lambda m, _, y, x, z: _gamma_sign(m, x) * _gamma_sign(m, z) * _gamma_sign(m, x + z),
    lambda m, _, y, x, z: 0.0,
    lambda m, _, y, x, z: 0.0,
)
# The logarithms of densities; those of discrete distributions are functions of their parameters at whole numbers
log_gamma_density = op(
    "log_gamma_density",
    _binary("log_gamma_density"),
    lambda m, y, x, z: m.where(m.equal(x, 1) & (z <= 0), 0.0, m.log(z)) - digamma(x),
    lambda m, y, x, z: m.where(m.equal(x, 1), -1.0, (x - 1 - z) / z),
)
log_beta_density = op(
    "log_beta_density",
    lambda m, a, b, x: _computed("log_beta_density")(m, a, b, x),
    lambda m, y, a, b, x: m.where(m.equal(a, 1) & (x <= 0), 0.0, m.log(x)) + digamma_gap(a, b),
    lambda m, y, a, b, x: m.where(m.equal(b, 1) & (x >= 1), 0.0, m.log1p(-x)) + digamma_gap(b, a),
    lambda m, y, a, b, x: m.where(m.equal(a, 1), 0.0, (a - 1) / x) - m.where(m.equal(b, 1), 0.0, (b - 1) / (1 - x)),
)
log_binomial = op(
    "log_binomial",
    lambda m, n, k, p: _computed("log_binomial")(m, n, k, p),
    lambda m, y, n, k, p: digamma_gap(n - k + 1, k) + m.where(m.equal(k, n) & (p >= 1), 0.0, m.log1p(-p)),
    lambda m, y, n, k, p: digamma(n - k + 1) - digamma(k + 1) + m.log(p) - m.log1p(-p),
    lambda m, y, n, k, p: m.where(m.equal(k, 0), 0.0, k / p) - m.where(m.equal(k, n), 0.0, (n - k) / (1 - p)),
)
log_negative_binomial = op(
    "log_negative_binomial",
    lambda m, k, n, p: _computed("log_negative_binomial")(m, k, n, p),
    lambda m, y, k, n, p: digamma(k + n) - digamma(k + 1) + m.log1p(-p),
    lambda m, y, k, n, p: digamma_gap(n, k) + m.log(p),
    lambda m, y, k, n, p: n / p - m.where(m.equal(k, 0), 0.0, k / (1 - p)),
)
log_poisson = op(
    "log_poisson",
    _binary("log_poisson"),
    lambda m, y, x, z: m.log(z) - digamma(x + 1),
    lambda m, y, x, z: m.where(m.equal(x, 0), -1.0, (x - z) / z),
)
gammainc = op(
    "gammainc",
    _binary("gammainc"),
    lambda m, y, x, z: math.nan,
    lambda m, y, x, z: ops.exp(log_gamma_density(x, z)),
)
gammaincc = op(
    "gammaincc",
    _binary("gammaincc"),
    lambda m, y, x, z: math.nan,
    lambda m, y, x, z: -ops.exp(log_gamma_density(x, z)),
)
betainc = op(
    "betainc",
    lambda m, a, b, x: _computed("betainc")(m, a, b, x),
    lambda m, y, a, b, x: math.nan,
    lambda m, y, a, b, x: math.nan,
    lambda m, y, a, b, x: ops.exp(log_beta_density(a, b, x)),
)
betaincc = op(  # 1 - betainc
    "betaincc",
    lambda m, a, b, x: _computed("betaincc")(m, a, b, x),
    lambda m, y, a, b, x: math.nan,
    lambda m, y, a, b, x: math.nan,
    lambda m, y, a, b, x: -ops.exp(log_beta_density(a, b, x)),
)

# log(1 + x²), also where x² overflows
log1p_square = op(
    "log1p_square",
    special_densities.log1p_square,
    lambda m, y, x: m.where(m.abs(x) > 1, 2 / (x + 1 / m.where(m.abs(x) > 1, x, 1.0)), 2 * x / (1 + x * x)),
)


log1p_less = op(  # log(1 + x) - x
    "log1p_less", lambda m, x: special_densities.log_less(m, 1 + x, x), lambda m, y, x: -x / (1 + x)
)
# the logarithm of the density of Student's t, at 0 and anywhere
log_t_norm_slope = op(
    "log_t_norm_slope",
    _unary("log_t_norm_slope"),
    lambda m, y, x: 0.25 * (polygamma(1.0, 0.5 * (x + 1)) - polygamma(1.0, 0.5 * x)) + 0.5 / (x * x),
)
log_t_norm = op("log_t_norm", _unary("log_t_norm"), lambda m, y, x: log_t_norm_slope(x))
_HALF_LOG_2_PI = 0.5 * math.log(2 * math.pi)
log_t_density = op(
    "log_t_density",
    lambda m, df, x: m.where(m.equal(df, math.inf), -0.5 * (x * x) - _HALF_LOG_2_PI, _t_density(m, _finite(m, df), x)),
    lambda m, y, df, x: m.where(m.equal(df, math.inf), 0.0, _t_slope_of_df(m, _finite(m, df), x)),
    lambda m, y, df, x: m.where(m.equal(df, math.inf), -x, _t_slope(m, _finite(m, df), x)),
)


def _finite(m, df):
    """Return `df`, or 1 where it is infinite: there the distribution is the normal one."""
    return m.where(m.equal(df, math.inf), 1.0, df)


def _t_density(m, df, x):
    return log_t_norm(df) - 0.5 * (df + 1) * log1p_square(x / m.sqrt(df))


def _t_slope_of_df(m, df, x):
    return log_t_norm_slope(df) - 0.5 * _log_less_share(m, x / m.sqrt(df)) + 0.5 * _share(m, x, df) / df


def _t_slope(m, df, x):
    return -(df + 1) * m.where(m.equal(x, 0), 0.0, _share(m, x, df) / m.where(m.equal(x, 0), 1.0, x))


def _share(m, x, df):
    """Return x² / (df + x²)."""
    w = m.abs(x) / m.sqrt(df)
    return m.where(w > 1, 1 / (1 + 1 / m.maximum(w, 1.0) / m.maximum(w, 1.0)), w * w / (1 + w * w))


def _log_less_share(m, w):
    """Return log(1 + w²) - w² / (1 + w²)."""
    share = _share(m, w, 1.0)
    return m.where(m.abs(w) < 1, -log1p_less(-m.where(m.abs(w) < 1, share, 0.0)), log1p_square(w) - share)


# the distribution function of Student's t, under SciPy's name
stdtr = op(
    "stdtr",
    _binary("stdtr"),
    lambda m, y, x, z: math.nan,
    lambda m, y, x, z: ops.exp(log_t_density(x, z)),
)

# --- the error function and the normal distribution -------------------------------------------------------------

erfc = op("erfc", _unary("erfc"), lambda m, y, x: m.exp(-(x * x)) * (-2 / math.sqrt(math.pi)))
erfinv = op("erfinv", _unary("erfinv"), lambda m, y, x: m.exp(y * y) * (math.sqrt(math.pi) / 2))
ndtri = op("ndtri", _unary("ndtri"), lambda m, y, x: m.exp(0.5 * (y * y)) * math.sqrt(2 * math.pi))


def _hazard(m, x):
    """Return φ(x) / Φ(x) for x below -5, as a continued fraction; at -5 where x is not below."""
    t = -m.where(x < -5, x, -5.0)
    fraction = t
    for k in range(24, 0, -1):
        fraction = t + k / fraction
    return fraction


def _log_ndtr(m, x):
    far = m.where(x < -5, x, -5.0)  # Φ itself underflows below -37, and below -13 in float32
    tail = -0.5 * (far * far) - m.log(_hazard(m, x)) - 0.5 * math.log(2 * math.pi)
    near = m.where(x < -5, -1.0, x)
    below = m.log(0.5 * erfc(m.minimum(near, 0.0) * -math.sqrt(0.5)))
    above = m.log1p(-0.5 * erfc(m.maximum(near, 0.0) * math.sqrt(0.5)))
    return m.where(x < -5, tail, m.where(near > 0, above, below))


# x² / 2 and log(Φ(x)) cancel each other far below 0, so that only the continued fraction has correct digits there
log_ndtr = op(
    "log_ndtr",
    _log_ndtr,
    lambda m, y, x: m.where(
        x < -5, _hazard(m, x), m.exp(m.where(x < -5, 0.0, -0.5 * (x * x) - y)) * (1 / math.sqrt(2 * math.pi))
    ),
)

# --- logarithms and entropies ------------------------------------------------------------------------------------

# 0 · log(0) is 0
xlogy = op(
    "xlogy",
    lambda m, x, z: m.where(m.equal(x, 0) & m.equal(z, z), 0.0, x * m.log(z)),
    lambda m, y, x, z: m.where(m.equal(x, 0) & (z <= 0), 0.0, m.log(z)),
    lambda m, y, x, z: x / z,
)
xlog1py = op(
    "xlog1py",
    lambda m, x, z: m.where(m.equal(x, 0) & m.equal(z, z), 0.0, x * m.log1p(z)),
    lambda m, y, x, z: m.where(m.equal(x, 0) & (z <= -1), 0.0, m.log1p(z)),
    lambda m, y, x, z: x / (1 + z),
)
entr = op(
    "entr",
    lambda m, x: m.where(
        m.equal(x, 0), 0.0, m.where(x < 0, -math.inf, -x * m.log(m.where(m.equal(x, 0), 1.0, m.abs(x))))
    ),
    lambda m, y, x: m.where(x < 0, math.nan, -m.log(x) - 1),
)


def _log_quotient(m, x, z):
    """Return log(x / z) of positive numbers, which has more digits than the difference of logarithms."""
    quotient = x / z
    exact = (quotient > 1e-30) & (quotient < 1e30)
    return m.where(exact, m.log(m.where(exact, quotient, 1.0)), m.log(x) - m.log(z))


def _divergence(m, x, z):
    """Return x log(x / z) - x + z of positive numbers, without cancellation."""
    near = (z > 1e-15 * x) & (x > 1e-15 * z)
    close = m.where(near, z, x)
    return m.where(
        near, -x * special_densities.log_less(m, close / x, (close - x) / x), z - x + x * (m.log(x) - m.log(z))
    )


rel_entr = op(
    "rel_entr",
    lambda m, x, z: m.where(
        (x > 0) & (z > 0),
        x * _log_quotient(m, m.where(x > 0, x, 1.0), m.where(z > 0, z, 1.0)),
        m.where(m.equal(x, 0) & (z >= 0), 0.0, m.where(m.equal(x + z, x + z), math.inf, x + z)),
    ),
    lambda m, y, x, z: _log_quotient(m, x, z) + 1,
    lambda m, y, x, z: -x / z,
)
kl_div = op(
    "kl_div",
    lambda m, x, z: m.where(
        (x > 0) & (z > 0),
        _divergence(m, m.where(x > 0, x, 1.0), m.where(z > 0, z, 1.0)),
        m.where(m.equal(x, 0) & (z >= 0), z, m.where(m.equal(x + z, x + z), math.inf, x + z)),
    ),
    lambda m, y, x, z: _log_quotient(m, x, z),
    lambda m, y, x, z: (z - x) / z,
)

# --- the modified functions of Bessel ----------------------------------------------------------------------------

ive_slope = op(  # the derivative of ive, whose two terms cancel for large numbers
    "ive_slope",
    _binary("ive_slope"),
    lambda m, y, x, z: math.nan,
    lambda m, y, x, z: 0.5 * (ive_slope(abs(x - 1), z) + ive_slope(x + 1, z)) - ops.sign(z) * y,
)
ive = op(
    "ive",
    _binary("ive"),
    lambda m, y, x, z: math.nan,
    lambda m, y, x, z: ive_slope(x, z),
)
iv = op(  # exp(|x|) may overflow where the function does not
    "iv",
    lambda m, x, z: ive(x, z) * m.exp(0.5 * m.abs(z)) * m.exp(0.5 * m.abs(z)),
    lambda m, y, x, z: math.nan,
    lambda m, y, x, z: 0.5 * (iv(abs(x - 1), z) + iv(x + 1, z)),
)
