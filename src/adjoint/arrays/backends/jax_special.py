"""Special functions of JAX arrays: its own, except where they are not there or not right.

`scaled_bessel` and the functions of `special_densities.py` are those of NumPy. The parameters of JAX's own incomplete
functions are replaced where the integral over the density computes the result.
"""

import math
from collections.abc import Callable
from functools import partial

import adjoint.arrays.backends.special_densities as densities
from adjoint.arrays.backends.special_bessel import scaled_bessel, scaled_bessel_slope
from adjoint.arrays.backends.special_densities import MANY

_OF_GAMMALN = ("betaln", "log_gamma_density", "log_beta_density", "log_binomial", "log_negative_binomial",
               "log_poisson", "log_t_norm")  # fmt: skip
_OF_DIGAMMA = ("digamma_gap", "log_t_norm_slope")


def function_of(jax, name: str) -> Callable:
    """Return a function of JAX by SciPy's name, or by ours."""
    own, xp = jax.scipy.special, jax.numpy
    if name == "polygamma":
        return partial(_polygamma, xp, own)
    if name in ("ive", "ive_slope"):
        return partial(scaled_bessel if name == "ive" else scaled_bessel_slope, xp)
    if name in _OF_GAMMALN:
        found = partial(getattr(densities, name), xp, own.gammaln)
    elif name in _OF_DIGAMMA:
        found = partial(getattr(densities, name), xp, partial(_digamma, xp, own))
    elif name in _COMPUTED:
        found = partial(_COMPUTED[name], xp, own)
    else:
        found = getattr(own, name)
    return lambda *operands: found(*_floats(xp, operands))


def _floats(xp, operands):
    """Return operands as arrays of one dtype and shape."""
    dtype = xp.result_type(*operands)
    dtype = dtype if xp.issubdtype(dtype, xp.floating) else xp.result_type(float)
    return xp.broadcast_arrays(*[xp.asarray(x, dtype) for x in operands])


def _digamma(xp, own, x):
    return xp.where(x == 0, -xp.copysign(math.inf, x), own.digamma(x))


def _polygamma(xp, own, n, x):
    n, x = int(n), _floats(xp, [x])[0]
    below = (x < 0) & xp.isfinite(x)
    mirrored = xp.where(below, 1 - x, x)
    found = own.digamma(mirrored) if n == 0 else own.polygamma(n, mirrored)
    if n > densities.MOST_REFLECTED:
        return xp.where(x < 0, math.nan, found)
    if n:  # JAX's is 0 for huge numbers
        huge = xp.where(mirrored > 1e8, mirrored, 1e8)
        first = (-1) ** (n + 1) * math.factorial(n - 1) * huge ** (-float(n)) * (1 + n / (2 * huge))
        found = xp.where(mirrored > 1e8, first, found)
    found = xp.where(below, densities.reflected_polygamma(xp, n, found, x), found)
    pole = math.inf if n % 2 else -math.inf
    return xp.where((x <= 0) & (x == xp.floor(x)), xp.where(xp.isfinite(x), pole, math.nan), found)


def _both_gammainc(xp, own, a, x):
    many = (a > MANY) & (a < math.inf) & (x > 0) & (x < math.inf)
    tail = densities.gamma_tail(xp, own.gammaln, xp.where(many, a, 2 * MANY), xp.where(many, x, 2 * MANY))
    few = xp.where(many, 1.0, a)
    below = x < a
    lower = xp.where(many, xp.where(below, tail, 1 - tail), own.gammainc(few, xp.where(many, 1.0, x)))
    upper = xp.where(many, xp.where(below, 1 - tail, tail), own.gammaincc(few, xp.where(many, 1.0, x)))
    return lower, upper


def _betainc(xp, own, a, b, x, y):
    """Return betainc(a, b, x), given y = 1 - x."""
    many = (xp.minimum(a, b) > MANY) & (xp.maximum(a, b) < math.inf) & (x > 0) & (y > 0)
    turned = x > y
    p, q, u, v = (
        xp.where(many, xp.where(turned, second, first), other)
        for first, second, other in ((a, b, 2 * MANY), (b, a, 2 * MANY), (x, y, 0.5), (y, x, 0.5))
    )
    tail = densities.beta_tail(xp, own.gammaln, p, q, u, v)
    tail = xp.where((u * q < v * p) != turned, tail, 1 - tail)
    return xp.where(many, tail, own.betainc(xp.where(many, 1.0, a), xp.where(many, 1.0, b), x))


def _stdtr(xp, own, df, z):
    size = xp.minimum(xp.abs(z), 1e18)
    large = df > MANY
    w = size / xp.sqrt(df)
    x, y = 1 / (1 + w * w), w * w / (1 + w * w)
    half, other = xp.where(large, 1.0, 0.5 * df), 0.5 + 0 * df
    few = xp.where(w > 1, own.betainc(half, other, x), 1 - own.betainc(other, half, y))
    tail = xp.where(large, densities.t_tail(xp, own.gammaln, xp.where(large, df, 2 * MANY), size), 0.5 * few)
    tail = xp.where(df == math.inf, 0.5 * own.erfc(size * math.sqrt(0.5)), tail)
    return xp.where((df > 0) & (z == z), xp.where(z < 0, tail, 1 - tail), math.nan)


_COMPUTED: dict[str, Callable] = {
    "digamma": _digamma,
    "gammainc": lambda xp, own, a, x: _both_gammainc(xp, own, a, x)[0],
    "gammaincc": lambda xp, own, a, x: _both_gammainc(xp, own, a, x)[1],
    "betainc": lambda xp, own, a, b, x: _betainc(xp, own, a, b, x, 1 - x),
    "betaincc": lambda xp, own, a, b, x: _betainc(xp, own, b, a, 1 - x, x),
    "stdtr": _stdtr,
}
