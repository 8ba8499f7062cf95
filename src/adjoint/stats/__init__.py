"""Distributions with the names and arguments of `scipy.stats`: log-densities, densities and distribution functions.

Every function has gradients with respect to the point and the parameters, except that the parameters of the incomplete
gamma and beta functions, as in `gamma.cdf`, are constants. Use `numpy.random` for samples. This package is built of the
special functions below it; `distribution` is a good file to start with.
"""

from adjoint.stats.continuous import (
    beta as beta,
    cauchy as cauchy,
    chi2 as chi2,
    expon as expon,
    gamma as gamma,
    gumbel_r as gumbel_r,
    halfnorm as halfnorm,
    invgamma as invgamma,
    laplace as laplace,
    logistic as logistic,
    lognorm as lognorm,
    norm as norm,
    pareto as pareto,
    rayleigh as rayleigh,
    t as t,
    uniform as uniform,
    vonmises as vonmises,
    weibull_min as weibull_min,
)
from adjoint.stats.discrete import (
    bernoulli as bernoulli,
    binom as binom,
    geom as geom,
    nbinom as nbinom,
    poisson as poisson,
)
from adjoint.stats.multivariate import (
    dirichlet as dirichlet,
    multinomial as multinomial,
    multivariate_normal as multivariate_normal,
)

__all__ = [
    "bernoulli",
    "beta",
    "binom",
    "cauchy",
    "chi2",
    "dirichlet",
    "expon",
    "gamma",
    "geom",
    "gumbel_r",
    "halfnorm",
    "invgamma",
    "laplace",
    "logistic",
    "lognorm",
    "multinomial",
    "multivariate_normal",
    "nbinom",
    "norm",
    "pareto",
    "poisson",
    "rayleigh",
    "t",
    "uniform",
    "vonmises",
    "weibull_min",
]


def __dir__() -> list[str]:
    return [*__all__]
