"""Special functions, with the names and arguments of `scipy.special`: the gamma function, error functions, entropies.

Each is composed of rows of the table, or has a rule in `special_rules.py`. SciPy is not needed: where NumPy has no such
function, `backends/special_functions.py` computes it; JAX and PyTorch have their own.
"""

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.convert import data_of
from adjoint.arrays.functions import reductions, special_rules as rules
from adjoint.arrays.functions.elementwise import finite_or, sinc
from adjoint.arrays.functions.indexing import clip
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, MissingRuleError
from adjoint.errors.given import describe, number

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor

__all__ = [
    "beta",
    "betainc",
    "betaln",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfinv",
    "expit",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammaln",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "kl_div",
    "log_expit",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "rel_entr",
    "sinc",
    "softmax",
    "xlog1py",
    "xlogy",
]


_MOST_DIMENSIONS = 10**6  # of multigammaln, which adds one term for each


def _whole(who: str, name: str, n: object, least: int) -> float:
    """Return an order, which is a plain integer, as a float."""
    if isinstance(n, Value) or not isinstance(n, (int, np.integer)) or n < least:
        raise ArgumentError(f"{who}: {name} is an integer of at least {least}, not {describe(n)}")
    return float(n)


# --- the gamma function and its relatives -----------------------------------------------------------------------


def gammaln(x) -> "Tensor":
    """Return the logarithm of the absolute value of the gamma function.

    >>> round(gammaln(5.0), 12) == round(math.log(24), 12)
    True
    """
    return rules.gammaln(x)


def lgamma(x) -> "Tensor":
    """Return `gammaln(x)`; this is PyTorch's name of it.

    >>> import math
    >>> from adjoint import lgamma
    >>> round(lgamma(5.0), 6), round(math.log(24.0), 6)
    (3.178054, 3.178054)
    """
    return rules.gammaln(x)


def gamma(x) -> "Tensor":
    """Return the gamma function, which is (n - 1)! for a positive integer n."""
    return rules.gamma(x)


def digamma(x) -> "Tensor":
    """Return the derivative of `gammaln`.

    >>> from adjoint import digamma
    >>> round(digamma(2.0) - digamma(1.0), 12)  # digamma(x + 1) is digamma(x) + 1 / x
    1.0
    """
    return rules.digamma(x)


def psi(x) -> "Tensor":
    """Return `digamma(x)`; this is SciPy's other name of it."""
    return rules.digamma(x)


def polygamma(n: int, x) -> "Tensor":
    """Return derivative `n` of the digamma function; for n = 0 that function itself.

    >>> round(polygamma(1, 1.0), 12) == round(math.pi**2 / 6, 12)
    True
    """
    order = _whole("polygamma", "n", n, 0)
    return rules.polygamma(order, x) if order else rules.digamma(x)


def betaln(a, b) -> "Tensor":
    """Return the logarithm of the beta function, log(Γ(a) Γ(b) / Γ(a + b))."""
    return ops.sub(ops.add(rules.gammaln(a), rules.gammaln(b)), rules.gammaln(ops.add(a, b)))


def beta(a, b) -> "Tensor":
    """Return the beta function Γ(a) Γ(b) / Γ(a + b), for positive a and b."""
    return ops.exp(betaln(a, b))


def multigammaln(a, d: int) -> "Tensor":
    """Return the logarithm of the multivariate gamma function of dimension `d`."""
    size = int(_whole("multigammaln", "d", d, 1))
    if size > _MOST_DIMENSIONS:
        raise ArgumentError(f"multigammaln: d is at most {_MOST_DIMENSIONS}, not {describe(d)}")
    constant: Any = size * (size - 1) / 4 * math.log(math.pi)
    return functools.reduce(ops.add, [rules.gammaln(ops.sub(a, i / 2)) for i in range(size)], constant)


def _constants(who: str, **given) -> None:
    for name, x in given.items():
        if isinstance(x, Value):
            raise MissingRuleError(f"{who} has no derivative for {name}: pass {name}.data; only x may have a gradient")


def gammainc(a, x) -> "Tensor":
    """Return the regularized lower incomplete gamma function; `a` is a constant, without a gradient."""
    _constants("gammainc", a=a)
    return rules.gammainc(a, x)


def gammaincc(a, x) -> "Tensor":
    """Return the regularized upper incomplete gamma function; `a` is a constant, without a gradient."""
    _constants("gammaincc", a=a)
    return rules.gammaincc(a, x)


def betainc(a, b, x) -> "Tensor":
    """Return the regularized incomplete beta function; `a` and `b` are constants, without gradients."""
    _constants("betainc", a=a, b=b)
    return rules.betainc(a, b, x)


# --- the error function and the normal distribution -------------------------------------------------------------


def erf(x) -> "Tensor":
    """Return the error function; it is a row of the table of operations."""
    return ops.erf(x)


def erfc(x) -> "Tensor":
    """Return 1 - erf(x), accurately also where erf(x) is close to 1.

    >>> from adjoint import erf, erfc
    >>> erfc(0.0), f"{erfc(10.0):.3e}", 1 - erf(10.0)
    (1.0, '2.088e-45', 0.0)
    """
    return rules.erfc(x)


def erfinv(y) -> "Tensor":
    """Return the inverse of erf.

    >>> from adjoint import erf, erfinv
    >>> erfinv(0.0), round(erfinv(erf(0.5)), 12)
    (0.0, 0.5)
    """
    return rules.erfinv(y)


def erfcinv(y) -> "Tensor":
    """Return the inverse of erfc, accurately also for small y, where `erfinv(1 - y)` is not."""
    return ops.mul(rules.ndtri(ops.mul(y, 0.5)), -math.sqrt(0.5))


def ndtri(p) -> "Tensor":
    """Return the inverse of `ndtr`: the quantiles of the standard normal distribution."""
    return rules.ndtri(p)


def log_ndtr(x) -> "Tensor":
    """Return the logarithm of `ndtr`, also where that underflows.

    >>> round(log_ndtr(-50.0), 6)
    -1254.831361
    """
    return rules.log_ndtr(x)


def ndtr(x) -> "Tensor":
    """Return the cumulative distribution function of the standard normal distribution."""
    return ops.mul(0.5, rules.erfc(ops.mul(x, -math.sqrt(0.5))))


# --- logarithms and entropies ------------------------------------------------------------------------------------


def expit(x) -> "Tensor":
    """Return the logistic function 1 / (1 + exp(-x)), which networks call sigmoid."""
    return ops.sigmoid(x)


def logit(x, eps: float | None = None) -> "Tensor":
    """Return log(x / (1 - x)), the inverse of expit; with `eps`, x is first clipped to [eps, 1 - eps].

    >>> import math
    >>> from adjoint import logit
    >>> logit(0.5), round(logit(0.75), 6), round(math.log(3.0), 6)
    (0.0, 1.098612, 1.098612)
    """
    if eps is not None:
        eps = number(eps, "logit: eps")
        x = clip(x, eps, 1 - eps)
    return ops.sub(ops.log(x), ops.log1p(ops.neg(x)))


def log_expit(x) -> "Tensor":
    """Return the logarithm of expit, without underflow."""
    return ops.neg(ops.softplus(ops.neg(x)))


def xlogy(x, y) -> "Tensor":
    """Return x log(y), and 0 where x is 0.

    >>> import math
    >>> from adjoint import xlogy
    >>> xlogy(2.0, math.e), xlogy(0.0, 0.0)
    (2.0, 0.0)
    """
    return rules.xlogy(x, y)


def xlog1py(x, y) -> "Tensor":
    """Return x log(1 + y), and 0 where x is 0."""
    return rules.xlog1py(x, y)


def entr(x) -> "Tensor":
    """Return -x log(x), whose sum is the entropy of probabilities; -inf where x is negative."""
    return rules.entr(x)


def rel_entr(x, y) -> "Tensor":
    """Return x log(x / y), whose sum is the relative entropy of probabilities; inf outside the domain."""
    return rules.rel_entr(x, y)


def kl_div(x, y) -> "Tensor":
    """Return x log(x / y) - x + y, whose sum is the divergence of Kullback and Leibler."""
    return ops.add(ops.sub(rules.rel_entr(x, y), x), y)


# --- the modified functions of Bessel ----------------------------------------------------------------------------


def i0(x) -> "Tensor":
    """Return the modified Bessel function of the first kind of order 0.

    >>> from adjoint import i0
    >>> i0(0.0), round(i0(1.0), 6)
    (1.0, 1.266066)
    """
    return rules.iv(0.0, x)


def i0e(x) -> "Tensor":
    """Return `i0(x) * exp(-abs(x))`, which does not overflow."""
    return rules.ive(0.0, x)


def i1(x) -> "Tensor":
    """Return the modified Bessel function of the first kind of order 1."""
    return rules.iv(1.0, x)


def i1e(x) -> "Tensor":
    """Return `i1(x) * exp(-abs(x))`, which does not overflow."""
    return rules.ive(1.0, x)


# --- reductions --------------------------------------------------------------------------------------------------


def logsumexp(a, axis=None, b=None, keepdims: bool = False) -> "Tensor":
    """Return log(sum(b * exp(a))) along an axis, or several, or all of them, without overflow; `b` are weights."""
    if b is None:
        return reductions.logsumexp(a, axis, keepdims)
    top = finite_or(reductions.max(data_of(a), axis, True), 0.0, 0.0, 0.0)
    total = ops.add(ops.log(reductions.sum(ops.mul(b, ops.exp(ops.sub(a, top))), axis, True)), top)
    return total if keepdims else reductions.sum(total, axis)


def softmax(x, axis=None) -> "Tensor":
    """Return exp(x) / sum(exp(x)) along an axis, or several, or all of them, without overflow."""
    return reductions.softmax(x, axis)


def log_softmax(x, axis=None) -> "Tensor":
    """Return the logarithm of softmax, without underflow."""
    return reductions.log_softmax(x, axis)
