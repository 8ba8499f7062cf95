"""Special functions, with the names and arguments of `scipy.special`: the gamma function, error functions, entropies.

Each is composed of rows of the table, or has a rule in `special_rules.py`. SciPy is not needed: where NumPy has no such
function, `backends/numpy_special.py` computes it; JAX and PyTorch have their own.
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

    >>> import math
    >>> from adjoint import special
    >>> round(special.gammaln(5.0), 6), round(math.log(24), 6)
    (3.178054, 3.178054)
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
    """Return the gamma function, which is (n - 1)! for a positive integer n.

    >>> from adjoint import Value, special
    >>> special.gamma(Value([1.0, 2.0, 5.0])).data.round(6)
    array([ 1.,  1., 24.])
    """
    return rules.gamma(x)


def digamma(x) -> "Tensor":
    """Return the derivative of `gammaln`.

    >>> from adjoint import digamma
    >>> round(digamma(2.0) - digamma(1.0), 12)  # digamma(x + 1) is digamma(x) + 1 / x
    1.0
    """
    return rules.digamma(x)


def psi(x) -> "Tensor":
    """Return `digamma(x)`; this is SciPy's other name of it.

    >>> from adjoint import special
    >>> round(special.psi(1.0), 6)
    -0.577216
    """
    return rules.digamma(x)


def polygamma(n: int, x) -> "Tensor":
    """Return derivative `n` of the digamma function; for n = 0 that function itself.

    >>> import math
    >>> from adjoint import special
    >>> round(special.polygamma(1, 1.0), 6), round(math.pi**2 / 6, 6)
    (1.644934, 1.644934)
    """
    order = _whole("polygamma", "n", n, 0)
    return rules.polygamma(order, x) if order else rules.digamma(x)


def betaln(a, b) -> "Tensor":
    """Return the logarithm of the beta function, log(Γ(a) Γ(b) / Γ(a + b)).

    >>> import math
    >>> from adjoint import special
    >>> round(math.exp(-special.betaln(2.0, 3.0)), 6)
    12.0
    """
    return rules.betaln(a, b)


def beta(a, b) -> "Tensor":
    """Return the beta function Γ(a) Γ(b) / Γ(a + b).

    >>> from adjoint import special
    >>> round(1 / special.beta(2.0, 3.0), 6)
    12.0
    """
    return rules.signed_beta(ops.exp(betaln(a, b)), a, b)


def multigammaln(a, d: int) -> "Tensor":
    """Return the logarithm of the multivariate gamma function of dimension `d`.

    >>> from adjoint import special
    >>> round(special.multigammaln(3.0, 1), 6), round(special.gammaln(3.0), 6)
    (0.693147, 0.693147)
    """
    size = int(_whole("multigammaln", "d", d, 1))
    if size > _MOST_DIMENSIONS:
        raise ArgumentError(f"multigammaln: d is at most {_MOST_DIMENSIONS}, not {describe(d)}")
    constant: Any = size * (size - 1) / 4 * math.log(math.pi)
    return functools.reduce(ops.add, [rules.gammaln(ops.sub(a, i / 2)) for i in range(size)], constant)


def constants(who: str, **given) -> None:
    """Require that parameters without a derivative are no Values."""
    for name, x in given.items():
        if isinstance(x, Value):
            raise MissingRuleError(f"{who} has no derivative for {name}: pass {name}.data; only x may have a gradient")


def gammainc(a, x) -> "Tensor":
    """Return the regularized lower incomplete gamma function; `a` is a constant, without a gradient.

    >>> import math
    >>> from adjoint import Value, special
    >>> x = Value(1.0)
    >>> y = special.gammainc(1.0, x)
    >>> y.backward()
    >>> round(y.item(), 6), round(1 - math.exp(-1), 6), round(x.grad, 6)
    (0.632121, 0.632121, 0.367879)
    """
    constants("gammainc", a=a)
    return rules.gammainc(a, x)


def gammaincc(a, x) -> "Tensor":
    """Return the regularized upper incomplete gamma function; `a` is a constant, without a gradient.

    >>> import math
    >>> from adjoint import special
    >>> round(special.gammaincc(1.0, 1.0), 6), round(math.exp(-1), 6)
    (0.367879, 0.367879)
    """
    constants("gammaincc", a=a)
    return rules.gammaincc(a, x)


def betainc(a, b, x) -> "Tensor":
    """Return the regularized incomplete beta function; `a` and `b` are constants, without gradients.

    >>> from adjoint import Value, special
    >>> x = Value(0.5)
    >>> y = special.betainc(2.0, 2.0, x)
    >>> y.backward()
    >>> round(y.item(), 6), round(x.grad, 6)
    (0.5, 1.5)
    """
    constants("betainc", a=a, b=b)
    return rules.betainc(a, b, x)


# --- the error function and the normal distribution -------------------------------------------------------------


def erf(x) -> "Tensor":
    """Return the error function; it is a row of the table of operations.

    >>> import math
    >>> from adjoint import Value, special
    >>> x = Value(0.0)
    >>> special.erf(x).backward()
    >>> round(x.grad, 6), round(2 / math.sqrt(math.pi), 6)
    (1.128379, 1.128379)
    """
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
    """Return the inverse of erfc, accurately also for small y, where `erfinv(1 - y)` is not.

    >>> from adjoint import special
    >>> round(special.erfc(special.erfcinv(1e-20)) / 1e-20, 9)
    1.0
    """
    return ops.mul(rules.ndtri(ops.mul(y, 0.5)), -math.sqrt(0.5))


def ndtri(p) -> "Tensor":
    """Return the inverse of `ndtr`: the quantiles of the standard normal distribution.

    >>> from adjoint import special
    >>> round(special.ndtri(0.975), 4)
    1.96
    """
    return rules.ndtri(p)


def log_ndtr(x) -> "Tensor":
    """Return the logarithm of `ndtr`, also where that underflows.

    >>> from adjoint import special
    >>> round(special.log_ndtr(-50.0), 6)
    -1254.831361
    """
    return rules.log_ndtr(x)


def ndtr(x) -> "Tensor":
    """Return the cumulative distribution function of the standard normal distribution.

    >>> from adjoint import special
    >>> round(special.ndtr(0.0), 4), round(special.ndtr(1.96), 4)
    (0.5, 0.975)
    """
    return ops.mul(0.5, rules.erfc(ops.mul(x, -math.sqrt(0.5))))


# --- logarithms and entropies ------------------------------------------------------------------------------------


def expit(x) -> "Tensor":
    """Return the logistic function 1 / (1 + exp(-x)), which networks call sigmoid.

    >>> from adjoint import Value, special
    >>> x = Value(0.0)
    >>> y = special.expit(x)
    >>> y.backward()
    >>> y.item(), x.grad
    (0.5, 0.25)
    """
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
    """Return the logarithm of expit, without underflow.

    >>> from adjoint import special
    >>> special.log_expit(-1000.0), round(special.log_expit(0.0), 6)
    (-1000.0, -0.693147)
    """
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
    """Return x log(1 + y), and 0 where x is 0.

    >>> from adjoint import special
    >>> special.xlog1py(0.0, -1.0), round(special.xlog1py(2.0, 9.0), 6)
    (0.0, 4.60517)
    """
    return rules.xlog1py(x, y)


def entr(x) -> "Tensor":
    """Return -x log(x), whose sum is the entropy of probabilities; -inf where x is negative.

    >>> from adjoint import Value, special
    >>> round(special.entr(Value([0.5, 0.5])).sum().item(), 6)
    0.693147
    """
    return rules.entr(x)


def rel_entr(x, y) -> "Tensor":
    """Return x log(x / y), whose sum is the relative entropy of probabilities; inf outside the domain.

    >>> from adjoint import Value, special
    >>> p, q = Value([0.5, 0.5]), [0.25, 0.75]
    >>> round(special.rel_entr(p, q).sum().item(), 6)
    0.143841
    """
    return rules.rel_entr(x, y)


def kl_div(x, y) -> "Tensor":
    """Return x log(x / y) - x + y, whose sum is the divergence of Kullback and Leibler.

    >>> from adjoint import Value, special
    >>> round(special.kl_div(Value([0.5, 0.5]), [0.25, 0.75]).sum().item(), 6)
    0.143841
    """
    return rules.kl_div(x, y)


# --- the modified functions of Bessel ----------------------------------------------------------------------------


def i0(x) -> "Tensor":
    """Return the modified Bessel function of the first kind of order 0.

    >>> from adjoint import i0
    >>> i0(0.0), round(i0(1.0), 6)
    (1.0, 1.266066)
    """
    return rules.iv(0.0, x)


def i0e(x) -> "Tensor":
    """Return `i0(x) * exp(-abs(x))`, which does not overflow.

    >>> from adjoint import special
    >>> special.i0(1000.0), round(special.i0e(1000.0), 6)
    (inf, 0.012617)
    """
    return rules.ive(0.0, x)


def i1(x) -> "Tensor":
    """Return the modified Bessel function of the first kind of order 1.

    >>> from adjoint import Value, special
    >>> x = Value(1.0)
    >>> special.i0(x).backward()
    >>> round(x.grad, 6), round(special.i1(1.0), 6)
    (0.565159, 0.565159)
    """
    return rules.iv(1.0, x)


def i1e(x) -> "Tensor":
    """Return `i1(x) * exp(-abs(x))`, which does not overflow.

    >>> from adjoint import special
    >>> special.i1(1000.0), round(special.i1e(1000.0), 6)
    (inf, 0.012611)
    """
    return rules.ive(1.0, x)


# --- reductions --------------------------------------------------------------------------------------------------


def logsumexp(a, axis=None, b=None, keepdims: bool = False) -> "Tensor":
    """Return log(sum(b * exp(a))) along an axis, or several, or all of them, without overflow; `b` are weights.

    >>> from adjoint import Value, special
    >>> round(special.logsumexp(Value([1000.0, 1000.0])).item(), 6)
    1000.693147
    >>> round(special.logsumexp([0.0, 0.0], b=[2.0, 3.0]).item(), 6)
    1.609438
    """
    if b is None:
        return reductions.logsumexp(a, axis, keepdims)
    top = finite_or(reductions.max(data_of(a), axis, True), 0.0, 0.0, 0.0)
    total = ops.add(ops.log(reductions.sum(ops.mul(b, ops.exp(ops.sub(a, top))), axis, True)), top)
    return total if keepdims else reductions.sum(total, axis)


def softmax(x, axis=None) -> "Tensor":
    """Return exp(x) / sum(exp(x)) along an axis, or several, or all of them, without overflow.

    >>> from adjoint import special
    >>> special.softmax([[0.0, 0.0], [0.0, 0.0]])
    array([[0.25, 0.25],
           [0.25, 0.25]])
    >>> special.softmax([[0.0, 0.0], [0.0, 0.0]], axis=1)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    return reductions.softmax(x, axis)


def log_softmax(x, axis=None) -> "Tensor":
    """Return the logarithm of softmax, without underflow.

    >>> from adjoint import special
    >>> special.log_softmax([1000.0, 0.0])
    array([    0., -1000.])
    """
    return reductions.log_softmax(x, axis)
