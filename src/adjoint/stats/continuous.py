"""Continuous distributions, in the parameters of `scipy.stats`."""

import math

from adjoint.arrays.functions import special_rules as rules
from adjoint.arrays.functions.special_functions import constants
from adjoint.arrays.functions.support import (
    cauchy_ppf,
    gumbel_logpdf,
    gumbel_logsf,
    laplace_cdf,
    laplace_logcdf,
    logistic_logpdf,
)
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.special import betainc, gammainc, gammaincc, i0e, logit, ndtr
from adjoint.stats.distribution import ABOVE_0, LARGEST, Continuous

_HALF_LOG_2_PI = 0.5 * math.log(2 * math.pi)


class Normal(Continuous):
    """The normal distribution: `loc` is its mean and `scale` its standard deviation.

    >>> from adjoint import Value, stats
    >>> mean = Value(0.0)
    >>> density = stats.norm.logpdf(1.0, mean, 2.0)
    >>> density.backward()
    >>> round(density.item(), 6), mean.grad
    (-1.737086, 0.25)
    >>> round(stats.norm.cdf(1.96), 4), round(stats.norm.ppf(0.975), 4)
    (0.975, 1.96)
    """

    name = "norm"

    def _logpdf(self, z) -> Value:
        return ops.sub(ops.mul(-0.5, ops.square(z)), _HALF_LOG_2_PI)

    def _cdf(self, z) -> Value:
        return ndtr(z)

    def _logcdf(self, z) -> Value:
        return rules.log_ndtr(z)

    def _sf(self, z) -> Value:
        return ndtr(ops.neg(z))

    def _logsf(self, z) -> Value:
        return rules.log_ndtr(ops.neg(z))

    def _ppf(self, q) -> Value:
        return rules.ndtri(q)

    def _isf(self, q) -> Value:
        return ops.neg(rules.ndtri(q))


class StudentT(Continuous):
    """Student's t distribution with `df` degrees of freedom; in its cdf `df` is a constant.

    >>> from adjoint import stats
    >>> round(stats.t.cdf(12.706, 1), 4), round(stats.t.pdf(0.0, 1), 6)
    (0.975, 0.31831)
    """

    name, shapes = "t", ("df",)

    def _logpdf(self, z, df) -> Value:
        return rules.log_t_density(df, z)

    def _cdf(self, z, df) -> Value:
        constants("t.cdf", df=df)
        return rules.stdtr(df, z)

    def _sf(self, z, df) -> Value:
        return self._cdf(ops.neg(z), df)


class Gamma(Continuous):
    """The gamma distribution of shape `a`; in its cdf `a` is a constant.

    >>> from adjoint import stats
    >>> round(stats.gamma.logpdf(2.0, 1.0), 6), round(stats.gamma.cdf(2.0, 1.0), 6)
    (-2.0, 0.864665)
    """

    name, shapes, low, inner = "gamma", ("a",), 0.0, 1.0

    def _logpdf(self, z, a) -> Value:
        return rules.log_gamma_density(a, z)

    def _cdf(self, z, a) -> Value:
        return gammainc(a, z)

    def _sf(self, z, a) -> Value:
        return gammaincc(a, z)


class InverseGamma(Continuous):
    """The distribution of 1 / x, if x has a gamma distribution of shape `a`; in its cdf `a` is a constant.

    >>> from adjoint import stats
    >>> round(stats.invgamma.sf(2.0, 3.0), 6), round(stats.gamma.cdf(1 / 2.0, 3.0), 6)
    (0.014388, 0.014388)
    """

    name, shapes, low, inner = "invgamma", ("a",), ABOVE_0, 1.0

    def _logpdf(self, z, a) -> Value:
        return ops.sub(rules.log_gamma_density(a, ops.div(1.0, z)), ops.mul(2.0, ops.log(z)))

    def _cdf(self, z, a) -> Value:
        return gammaincc(a, ops.div(1.0, z))

    def _sf(self, z, a) -> Value:
        return gammainc(a, ops.div(1.0, z))


class Chi2(Continuous):
    """The chi-squared distribution with `df` degrees of freedom; in its cdf `df` is a constant.

    >>> from adjoint import stats
    >>> round(stats.chi2.sf(3.841, 1), 3), stats.chi2.logpdf(-1.0, 1)
    (0.05, -inf)
    """

    name, shapes, low, inner = "chi2", ("df",), 0.0, 1.0

    def _logpdf(self, z, df) -> Value:
        return ops.sub(rules.log_gamma_density(ops.mul(0.5, df), ops.mul(0.5, z)), math.log(2))

    def _cdf(self, z, df) -> Value:
        return gammainc(ops.mul(0.5, df), ops.mul(0.5, z))

    def _sf(self, z, df) -> Value:
        return gammaincc(ops.mul(0.5, df), ops.mul(0.5, z))


class Beta(Continuous):
    """The beta distribution of shapes `a` and `b`; in its cdf they are constants.

    >>> from adjoint import stats
    >>> round(stats.beta.pdf(0.5, 2.0, 2.0), 6), round(stats.beta.cdf(0.5, 2.0, 2.0), 6)
    (1.5, 0.5)
    """

    name, shapes, low, high, inner = "beta", ("a", "b"), 0.0, 1.0, 0.5

    def _logpdf(self, z, a, b) -> Value:
        return rules.log_beta_density(a, b, z)

    def _cdf(self, z, a, b) -> Value:
        return betainc(a, b, z)

    def _sf(self, z, a, b) -> Value:
        constants("beta.sf", a=a, b=b)
        return rules.betaincc(a, b, z)


class Exponential(Continuous):
    """The exponential distribution: `scale` is its mean.

    >>> from adjoint import Value, stats
    >>> scale = Value(2.0)
    >>> density = stats.expon.logpdf(6.0, scale=scale)
    >>> density.backward()
    >>> round(density.item(), 6), scale.grad
    (-3.693147, 1.0)
    """

    name, low, inner = "expon", 0.0, 1.0

    def _logpdf(self, z) -> Value:
        return ops.neg(z)

    def _cdf(self, z) -> Value:
        return ops.neg(ops.expm1(ops.neg(z)))

    def _sf(self, z) -> Value:
        return ops.exp(ops.neg(z))

    def _logsf(self, z) -> Value:
        return ops.neg(z)

    def _ppf(self, q) -> Value:
        return ops.neg(ops.log1p(ops.neg(q)))

    def _isf(self, q) -> Value:
        return ops.neg(ops.log(q))


class Uniform(Continuous):
    """The uniform distribution between `loc` and `loc + scale`.

    >>> from adjoint import stats
    >>> stats.uniform.pdf(3.0, loc=2.0, scale=4.0), stats.uniform.pdf(7.0, loc=2.0, scale=4.0)
    (0.25, 0.0)
    """

    name, low, high, inner = "uniform", 0.0, 1.0, 0.5

    def _logpdf(self, z) -> Value:
        return ops.mul(0.0, z)

    def _cdf(self, z) -> Value:
        return z

    def _ppf(self, q) -> Value:
        return q

    def _isf(self, q) -> Value:
        return ops.sub(1.0, q)


class Laplace(Continuous):
    """The distribution of Laplace, whose density falls exponentially on both sides of `loc`.

    >>> from adjoint import stats
    >>> stats.laplace.pdf(0.0), stats.laplace.cdf(0.0), round(stats.laplace.logpdf(3.0), 6)
    (0.5, 0.5, -3.693147)
    """

    name = "laplace"

    def _logpdf(self, z) -> Value:
        return ops.sub(-math.log(2), ops.abs(z))

    def _cdf(self, z) -> Value:
        return laplace_cdf(z)

    def _sf(self, z) -> Value:
        return laplace_cdf(ops.neg(z))

    def _logcdf(self, z) -> Value:
        return laplace_logcdf(z)

    def _logsf(self, z) -> Value:
        return laplace_logcdf(ops.neg(z))


class Logistic(Continuous):
    """The logistic distribution, whose cdf is the sigmoid function.

    >>> from adjoint import special, stats
    >>> stats.logistic.cdf(0.5) == special.expit(0.5), stats.logistic.ppf(0.5)
    (True, 0.0)
    """

    name = "logistic"

    def _logpdf(self, z) -> Value:
        return logistic_logpdf(z)

    def _cdf(self, z) -> Value:
        return ops.sigmoid(z)

    def _logcdf(self, z) -> Value:
        return ops.neg(ops.softplus(ops.neg(z)))

    def _sf(self, z) -> Value:
        return ops.sigmoid(ops.neg(z))

    def _logsf(self, z) -> Value:
        return ops.neg(ops.softplus(z))

    def _ppf(self, q) -> Value:
        return logit(q)

    def _isf(self, q) -> Value:
        return ops.neg(logit(q))


class Cauchy(Continuous):
    """The distribution of Cauchy.

    >>> from adjoint import stats
    >>> round(stats.cauchy.pdf(0.0), 6), round(stats.cauchy.cdf(1.0), 6)
    (0.31831, 0.75)
    """

    name = "cauchy"

    def _logpdf(self, z) -> Value:
        return ops.sub(-math.log(math.pi), rules.log1p_square(z))

    def _cdf(self, z) -> Value:
        return ops.mul(1 / math.pi, ops.atan2(1.0, ops.neg(z)))

    def _sf(self, z) -> Value:
        return self._cdf(ops.neg(z))

    def _ppf(self, q) -> Value:
        return cauchy_ppf(q)

    def _isf(self, q) -> Value:
        return ops.neg(cauchy_ppf(q))


class LogNormal(Continuous):
    """The distribution of exp(s x) * scale, if x has a standard normal distribution.

    >>> from adjoint import stats
    >>> round(stats.lognorm.cdf(1.0, 0.5), 6), round(stats.lognorm.pdf(1.0, 1.0), 6)
    (0.5, 0.398942)
    """

    name, shapes, low, inner = "lognorm", ("s",), ABOVE_0, 1.0

    def _logpdf(self, z, s) -> Value:
        size = ops.mul(-0.5, ops.square(ops.div(ops.log(z), s)))
        return ops.sub(ops.sub(size, ops.add(ops.log(s), ops.log(z))), _HALF_LOG_2_PI)

    def _cdf(self, z, s) -> Value:
        return ndtr(ops.div(ops.log(z), s))

    def _sf(self, z, s) -> Value:
        return ndtr(ops.neg(ops.div(ops.log(z), s)))

    def _logcdf(self, z, s) -> Value:
        return rules.log_ndtr(ops.div(ops.log(z), s))

    def _logsf(self, z, s) -> Value:
        return rules.log_ndtr(ops.neg(ops.div(ops.log(z), s)))

    def _ppf(self, q, s) -> Value:
        return ops.exp(ops.mul(s, rules.ndtri(q)))

    def _isf(self, q, s) -> Value:
        return ops.exp(ops.neg(ops.mul(s, rules.ndtri(q))))


class HalfNormal(Continuous):
    """The distribution of |x|, if x has a normal distribution.

    >>> from adjoint import stats
    >>> round(stats.halfnorm.cdf(1.96), 4), round(stats.halfnorm.pdf(0.0), 6)
    (0.95, 0.797885)
    """

    name, low, inner = "halfnorm", 0.0, 1.0

    def _logpdf(self, z) -> Value:
        return ops.add(ops.mul(-0.5, ops.square(z)), 0.5 * math.log(2 / math.pi))

    def _cdf(self, z) -> Value:
        return ops.erf(ops.mul(z, math.sqrt(0.5)))

    def _sf(self, z) -> Value:
        return rules.erfc(ops.mul(z, math.sqrt(0.5)))

    def _logsf(self, z) -> Value:
        return ops.add(rules.log_ndtr(ops.neg(z)), math.log(2))


class Rayleigh(Continuous):
    """The distribution of the length of a vector of two standard normal numbers.

    >>> import math
    >>> from adjoint import stats
    >>> round(stats.rayleigh.cdf(2.0), 6), round(1 - math.exp(-2), 6)
    (0.864665, 0.864665)
    """

    name, low, high, inner = "rayleigh", 0.0, LARGEST, 1.0  # at infinity the formula would give NaN

    def _logpdf(self, z) -> Value:
        return ops.sub(ops.log(z), ops.mul(0.5, ops.square(z)))

    def _cdf(self, z) -> Value:
        return ops.neg(ops.expm1(self._logsf(z)))

    def _sf(self, z) -> Value:
        return ops.exp(self._logsf(z))

    def _logsf(self, z) -> Value:
        return ops.mul(-0.5, ops.square(z))


class Pareto(Continuous):
    """The distribution of Pareto of shape `b`.

    >>> from adjoint import stats
    >>> round(stats.pareto.sf(2.0, 3.0), 6), round(stats.pareto.pdf(2.0, 3.0), 6), stats.pareto.pdf(0.5, 3.0)
    (0.125, 0.1875, 0.0)
    """

    name, shapes, low, inner = "pareto", ("b",), 1.0, 2.0

    def _logpdf(self, z, b) -> Value:
        return ops.sub(ops.log(b), ops.mul(ops.add(b, 1.0), ops.log(z)))

    def _cdf(self, z, b) -> Value:
        return ops.neg(ops.expm1(self._logsf(z, b)))

    def _sf(self, z, b) -> Value:
        return ops.exp(self._logsf(z, b))

    def _logsf(self, z, b) -> Value:
        return ops.neg(ops.mul(b, ops.log(z)))


class Weibull(Continuous):
    """The distribution of Weibull of shape `c`.

    >>> import math
    >>> from adjoint import stats
    >>> round(stats.weibull_min.sf(2.0, 2.0), 6), round(math.exp(-4), 6)
    (0.018316, 0.018316)
    """

    name, shapes, low, inner = "weibull_min", ("c",), 0.0, 1.0

    def _logpdf(self, z, c) -> Value:
        return ops.sub(ops.add(ops.log(c), rules.xlogy(ops.sub(c, 1.0), z)), ops.pow(z, c))

    def _cdf(self, z, c) -> Value:
        return ops.neg(ops.expm1(self._logsf(z, c)))

    def _sf(self, z, c) -> Value:
        return ops.exp(self._logsf(z, c))

    def _logsf(self, z, c) -> Value:
        return ops.neg(ops.pow(z, c))


class Gumbel(Continuous):
    """The distribution of Gumbel, of the largest of many numbers.

    >>> import math
    >>> from adjoint import stats
    >>> round(stats.gumbel_r.cdf(0.0), 6), round(math.exp(-1), 6)
    (0.367879, 0.367879)
    """

    name = "gumbel_r"

    def _logpdf(self, z) -> Value:
        return gumbel_logpdf(z)

    def _cdf(self, z) -> Value:
        return ops.exp(self._logcdf(z))

    def _sf(self, z) -> Value:
        return ops.neg(ops.expm1(self._logcdf(z)))

    def _logcdf(self, z) -> Value:
        return ops.neg(ops.exp(ops.neg(z)))

    def _logsf(self, z) -> Value:
        return gumbel_logsf(z)

    def _ppf(self, q) -> Value:
        return ops.neg(ops.log(ops.neg(ops.log(q))))

    def _isf(self, q) -> Value:
        return ops.neg(ops.log(ops.neg(ops.log1p(ops.neg(q)))))


class VonMises(Continuous):
    """The distribution of von Mises on a circle, with the concentration `kappa`; it has no cdf here.

    >>> import math
    >>> from adjoint import stats
    >>> round(stats.vonmises.pdf(1.0, 0.0), 6), round(1 / (2 * math.pi), 6)
    (0.159155, 0.159155)
    """

    name, shapes = "vonmises", ("kappa",)

    def _logpdf(self, z, kappa) -> Value:
        fall = ops.mul(ops.mul(2.0, kappa), ops.square(ops.sin(ops.mul(0.5, z))))  # kappa (1 - cos(z))
        return ops.neg(ops.add(fall, ops.add(math.log(2 * math.pi), ops.log(i0e(kappa)))))


norm = Normal()
"""`norm.logpdf(x, loc=0, scale=1)` and its other functions."""
t = StudentT()
"""`t.logpdf(x, df, loc=0, scale=1)` and its other functions."""
gamma = Gamma()
"""`gamma.logpdf(x, a, loc=0, scale=1)` and its other functions."""
invgamma = InverseGamma()
"""`invgamma.logpdf(x, a, loc=0, scale=1)` and its other functions."""
chi2 = Chi2()
"""`chi2.logpdf(x, df, loc=0, scale=1)` and its other functions."""
beta = Beta()
"""`beta.logpdf(x, a, b, loc=0, scale=1)` and its other functions."""
expon = Exponential()
"""`expon.logpdf(x, loc=0, scale=1)` and its other functions."""
uniform = Uniform()
"""`uniform.logpdf(x, loc=0, scale=1)` and its other functions."""
laplace = Laplace()
"""`laplace.logpdf(x, loc=0, scale=1)` and its other functions."""
logistic = Logistic()
"""`logistic.logpdf(x, loc=0, scale=1)` and its other functions."""
cauchy = Cauchy()
"""`cauchy.logpdf(x, loc=0, scale=1)` and its other functions."""
lognorm = LogNormal()
"""`lognorm.logpdf(x, s, loc=0, scale=1)` and its other functions."""
halfnorm = HalfNormal()
"""`halfnorm.logpdf(x, loc=0, scale=1)` and its other functions."""
rayleigh = Rayleigh()
"""`rayleigh.logpdf(x, loc=0, scale=1)` and its other functions."""
pareto = Pareto()
"""`pareto.logpdf(x, b, loc=0, scale=1)` and its other functions."""
weibull_min = Weibull()
"""`weibull_min.logpdf(x, c, loc=0, scale=1)` and its other functions."""
gumbel_r = Gumbel()
"""`gumbel_r.logpdf(x, loc=0, scale=1)` and its other functions."""
vonmises = VonMises()
"""`vonmises.logpdf(x, kappa, loc=0, scale=1)` and its other functions."""
