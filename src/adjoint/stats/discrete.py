"""Distributions of whole numbers, in the parameters of `scipy.stats`."""

from collections.abc import Sequence

from adjoint.arrays.functions import special_rules as rules
from adjoint.arrays.functions.special_functions import constants
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.special import gammainc, gammaincc
from adjoint.stats.distribution import Discrete


class Bernoulli(Discrete):
    """The distribution of one trial that succeeds, as 1, with probability `p`.

    >>> from adjoint import Value, stats
    >>> p = Value(0.25)
    >>> stats.bernoulli.logpmf(1, p).backward()
    >>> p.grad, stats.bernoulli.cdf(0, 0.25)
    (4.0, 0.75)
    """

    name, shapes, low, high = "bernoulli", ("p",), 0.0, 1.0

    def _logpmf(self, k, p) -> Value:
        return ops.add(rules.xlogy(k, p), rules.xlog1py(ops.sub(1.0, k), ops.neg(p)))

    def _cdf(self, z, p) -> Value:
        return ops.sub(1.0, p)

    def _sf(self, z, p) -> Value:
        return p


class Binomial(Discrete):
    """The number of successes in `n` trials, each with probability `p`; in its cdf `n` is a constant.

    >>> from adjoint import stats
    >>> round(stats.binom.pmf(2, 4, 0.5), 6), round(stats.binom.cdf(2, 4, 0.5), 6)
    (0.375, 0.6875)
    """

    name, shapes, whole, low = "binom", ("n", "p"), ("n",), 0.0

    def _support(self, z, shapes: Sequence) -> tuple[object, object]:
        return 0.0, shapes[0]

    def _logpmf(self, k, n, p) -> Value:
        return rules.log_binomial(n, k, p)

    def _cdf(self, z, n, p) -> Value:
        constants("binom.cdf", n=n)
        return rules.betaincc(ops.add(z, 1.0), ops.sub(n, z), p)

    def _sf(self, z, n, p) -> Value:
        constants("binom.sf", n=n)
        return rules.betainc(ops.add(z, 1.0), ops.sub(n, z), p)


class Geometric(Discrete):
    """The number of the first trial that succeeds, each with probability `p`.

    >>> from adjoint import stats
    >>> round(stats.geom.pmf(3, 0.5), 6), round(stats.geom.cdf(3, 0.5), 6)
    (0.125, 0.875)
    """

    name, shapes, low, inner = "geom", ("p",), 1.0, 1.0

    def _logpmf(self, k, p) -> Value:
        return ops.add(rules.xlog1py(ops.sub(k, 1.0), ops.neg(p)), ops.log(p))

    def _cdf(self, z, p) -> Value:
        return ops.neg(ops.expm1(self._logsf(z, p)))

    def _sf(self, z, p) -> Value:
        return ops.exp(self._logsf(z, p))

    def _logsf(self, z, p) -> Value:
        return rules.xlog1py(z, ops.neg(p))


class NegativeBinomial(Discrete):
    """The number of failures before the `n`-th success, with probability `p` each; in its cdf `n` is a constant.

    >>> from adjoint import stats
    >>> round(stats.nbinom.pmf(1, 2, 0.5), 6), round(stats.nbinom.cdf(1, 2, 0.5), 6)
    (0.25, 0.5)
    """

    name, shapes, low = "nbinom", ("n", "p"), 0.0

    def _logpmf(self, k, n, p) -> Value:
        return rules.log_negative_binomial(k, n, p)

    def _cdf(self, z, n, p) -> Value:
        constants("nbinom.cdf", n=n)
        return rules.betainc(n, ops.add(z, 1.0), p)

    def _sf(self, z, n, p) -> Value:
        constants("nbinom.sf", n=n)
        return rules.betaincc(n, ops.add(z, 1.0), p)


class Poisson(Discrete):
    """The number of independent events of which `mu` occur on average.

    >>> from adjoint import Value, stats
    >>> mu = Value(2.0)
    >>> stats.poisson.logpmf(3, mu).backward()
    >>> mu.grad, round(stats.poisson.cdf(1, 2.0), 6)
    (0.5, 0.406006)
    """

    name, shapes, low = "poisson", ("mu",), 0.0

    def _logpmf(self, k, mu) -> Value:
        return rules.log_poisson(k, mu)

    def _cdf(self, z, mu) -> Value:
        return gammaincc(ops.add(z, 1.0), mu)

    def _sf(self, z, mu) -> Value:
        return gammainc(ops.add(z, 1.0), mu)


bernoulli = Bernoulli()
"""`bernoulli.logpmf(k, p, loc=0)` and its other functions."""
binom = Binomial()
"""`binom.logpmf(k, n, p, loc=0)` and its other functions."""
geom = Geometric()
"""`geom.logpmf(k, p, loc=0)` and its other functions."""
nbinom = NegativeBinomial()
"""`nbinom.logpmf(k, n, p, loc=0)` and its other functions."""
poisson = Poisson()
"""`poisson.logpmf(k, mu, loc=0)` and its other functions."""
