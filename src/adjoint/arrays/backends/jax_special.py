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
from adjoint.errors import MissingRuleError

_MOST = 20_000  # terms of a continued fraction; few are needed
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
        found = partial(_COMPUTED[name], jax)
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


def _both_gammainc(jax, a, x):
    xp, own = jax.numpy, jax.scipy.special
    many = (a > MANY) & (a < math.inf) & (x > 0) & (x < math.inf)
    tail = densities.gamma_tail(xp, own.gammaln, xp.where(many, a, 2 * MANY), xp.where(many, x, 2 * MANY))
    few = xp.where(many, 1.0, a)
    below = x < a
    lower = xp.where(many, xp.where(below, tail, 1 - tail), own.gammainc(few, xp.where(many, 1.0, x)))
    upper = xp.where(many, xp.where(below, 1 - tail, tail), own.gammaincc(few, xp.where(many, 1.0, x)))
    return lower, upper


def _beta_fraction(jax, a, b, x):
    """Return the continued fraction of the incomplete beta function, by the method of Lentz."""
    xp = jax.numpy
    eps = xp.finfo(x.dtype).eps

    def apart_from_0(x):
        return xp.where(xp.abs(x) < 1e-30, 1e-30, x)

    def add_two_terms(state):
        k, c, d, h, _ = state
        for an in (
            k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k)),
            -(a + k) / (a + 2 * k) * (a + b + k) * x / (a + 2 * k + 1),
        ):
            d = 1 / apart_from_0(1 + an * d)
            c = apart_from_0(1 + an / c)
            h = h * c * d
        return k + 1, c, d, h, xp.any(xp.abs(c * d - 1) > 2 * eps)

    first = 1 / apart_from_0(1 - (a + b) * x / (a + 1))
    state = xp.asarray(1, x.dtype), xp.ones_like(x), first, first, xp.asarray(True)
    return jax.lax.while_loop(lambda state: state[-1] & (state[0] < _MOST), add_two_terms, state)[3]


def _both_betainc(jax, a, b, x, y):
    """Return betainc(a, b, x) and its complement, given y = 1 - x, as in numpy_special.py.

    JAX's own function subtracts logarithms of gamma functions, and has no digits if one parameter is large.
    """
    xp, gammaln = jax.numpy, jax.scipy.special.gammaln
    known = (xp.minimum(a, b) > 0) & (xp.maximum(a, b) < math.inf) & (x >= 0) & (y >= 0)
    turned = x > y
    a, b, x, y = (xp.where(turned, *each) for each in ((b, a), (a, b), (y, x), (x, y)))
    many = xp.minimum(a, b) > MANY
    below = xp.where(many, x * b < y * a, x * (a + b + 2) < a + 1)
    inside = known & (x > 0)
    integral = inside & (many | (~below & (b > 50)))
    tail = densities.beta_tail(
        xp, gammaln, *(xp.where(integral, z, safe) for z, safe in ((a, 2 * MANY), (b, 2 * MANY), (x, 0.5), (y, 0.5)))
    )
    operands = (xp.where(below, *each) for each in ((a, b), (b, a), (x, y), (y, x)))
    p, q, u, v = (xp.where(inside & ~integral, z, safe) for z, safe in zip(operands, (1.0, 1.0, 0.5, 0.5)))
    share = xp.exp(densities.log_beta_peak(xp, gammaln, p, q, u, v)) / p * _beta_fraction(jax, p, q, u)
    tail = xp.where(integral, tail, xp.where(inside, share, 0.0))
    below = below | ~inside
    lower, upper = xp.where(below, tail, 1 - tail), xp.where(below, 1 - tail, tail)
    return [
        xp.where(known, each, math.nan) for each in (xp.where(turned, upper, lower), xp.where(turned, lower, upper))
    ]


def _stdtr(jax, df, z):
    xp, own = jax.numpy, jax.scipy.special
    size, few = xp.abs(z), df <= MANY
    w = size / xp.sqrt(df)
    half, other = xp.where(few, 0.5 * df, 1.0), xp.full_like(df, 0.5)
    near, far = xp.where(w <= 2, w, 1.0), xp.where(few & (w > 2), w, 3.0)
    share = _both_betainc(jax, half, other, 1 / (1 + near * near), near * near / (1 + near * near))[0]
    power = -half * densities.log1p_square(xp, far) - densities.betaln(xp, own.gammaln, half, other)
    fraction = _beta_fraction(jax, half, other, 1 / (1 + far * far)) / half / xp.hypot(xp.ones_like(far), 1 / far)
    tail = 0.5 * xp.where(w <= 2, share, xp.exp(power) * fraction)
    integral = densities.t_tail(xp, own.gammaln, xp.where(few, 2 * MANY, df), xp.minimum(size, 1e18))
    tail = xp.where(df == math.inf, 0.5 * own.erfc(size * math.sqrt(0.5)), xp.where(few, tail, integral))
    return xp.where((df > 0) & (z == z), xp.where(z < 0, tail, 1 - tail), math.nan)


# --- their derivatives ------------------------------------------------------------------------------------------


def _beta_density(jax, a, b, x):
    return jax.numpy.exp(densities.log_beta_density(jax.numpy, jax.scipy.special.gammaln, a, b, x))


def _t_density(jax, df, z):
    xp = jax.numpy
    known = xp.where(df == math.inf, 1.0, df)
    norm = densities.log_t_norm(xp, jax.scipy.special.gammaln, known)
    found = norm - 0.5 * (known + 1) * densities.log1p_square(xp, z / xp.sqrt(known))
    return xp.exp(xp.where(df == math.inf, -0.5 * z * z - 0.5 * math.log(2 * math.pi), found))


def _with_density(function: Callable, density: Callable) -> Callable:
    """Return a function that JAX differentiates by its last operand, although it cannot go back through a loop."""

    def call(jax, *operands):
        found = jax.custom_jvp(partial(function, jax))

        def push(operands, tangents):
            y, last = found(*operands), tangents[-1]
            is_constant = [type(t) is jax.custom_derivatives.SymbolicZero for t in tangents]
            if not all(is_constant[:-1]):
                raise MissingRuleError(
                    "the incomplete beta function and the distribution function of t have no derivatives by parameters"
                )
            return y, jax.numpy.zeros_like(y) if is_constant[-1] else density(jax, *operands) * last

        found.defjvp(push, symbolic_zeros=True)
        return found(*operands)

    return call


_COMPUTED: dict[str, Callable] = {
    "digamma": lambda jax, x: _digamma(jax.numpy, jax.scipy.special, x),
    "gammainc": lambda jax, a, x: _both_gammainc(jax, a, x)[0],
    "gammaincc": lambda jax, a, x: _both_gammainc(jax, a, x)[1],
    "betainc": _with_density(lambda jax, a, b, x: _both_betainc(jax, a, b, x, 1 - x)[0], _beta_density),
    "betaincc": _with_density(
        lambda jax, a, b, x: _both_betainc(jax, a, b, x, 1 - x)[1], lambda *operands: -_beta_density(*operands)
    ),
    "stdtr": _with_density(_stdtr, _t_density),
}
