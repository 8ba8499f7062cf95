"""Rules of special functions: ops that are no rows of the table, because the C library does not have them all.

An array library computes the function itself (`Backend.special`); NumPy's is in `backends/special_functions.py`. The
derivatives are again functions of this file, so that they exist to any order.
"""

import math
from collections.abc import Callable

import numpy as np

from adjoint.arrays.backends import Backend, special_functions
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
        return float(getattr(special_functions, name)(*map(np.float64, operands)))

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


def _gamma_density(a, x):
    """Return x^(a - 1) e^-x / Γ(a), the derivative of the incomplete gamma function."""
    return ops.exp(ops.sub(ops.sub(xlogy(ops.sub(a, 1.0), x), x), gammaln(a)))


def _beta_density(a, b, x):
    size = ops.add(xlogy(ops.sub(a, 1.0), x), xlog1py(ops.sub(b, 1.0), ops.neg(x)))
    return ops.exp(ops.sub(size, ops.sub(ops.add(gammaln(a), gammaln(b)), gammaln(ops.add(a, b)))))


gammainc = op("gammainc", _binary("gammainc"), lambda m, y, x, z: math.nan, lambda m, y, x, z: _gamma_density(x, z))
gammaincc = op(
    "gammaincc",
    _binary("gammaincc"),
    lambda m, y, x, z: math.nan,
    lambda m, y, x, z: ops.neg(_gamma_density(x, z)),
)
betainc = op(
    "betainc",
    lambda m, a, b, x: _computed("betainc")(m, a, b, x),
    lambda m, y, a, b, x: math.nan,
    lambda m, y, a, b, x: math.nan,
    lambda m, y, a, b, x: _beta_density(a, b, x),
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
rel_entr = op(
    "rel_entr",
    lambda m, x, z: m.where(
        (x > 0) & (z > 0),
        x * (m.log(m.where(x > 0, x, 1.0)) - m.log(m.where(z > 0, z, 1.0))),
        m.where(m.equal(x, 0) & (z >= 0), 0.0, m.where(m.equal(x + z, x + z), math.inf, x + z)),
    ),
    lambda m, y, x, z: m.log(x) - m.log(z) + 1,
    lambda m, y, x, z: -x / z,
)

# --- the modified functions of Bessel ----------------------------------------------------------------------------

ive = op(
    "ive",
    _binary("ive"),
    lambda m, y, x, z: math.nan,
    lambda m, y, x, z: 0.5 * (ive(abs(x - 1), z) + ive(x + 1, z)) - ops.sign(z) * y,
)
iv = op(
    "iv",
    lambda m, x, z: ive(x, z) * m.exp(m.abs(z)),
    lambda m, y, x, z: math.nan,
    lambda m, y, x, z: 0.5 * (iv(abs(x - 1), z) + iv(x + 1, z)),
)
