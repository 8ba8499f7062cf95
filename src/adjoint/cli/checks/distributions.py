"""Log-densities and distribution functions, for `adjoint check`."""

import numpy as np

import adjoint
from adjoint import Tensor, stats
from adjoint.cli.checks import Groups, positive, positive_definite

_COUNTS = np.array([0.0, 1.0, 1.0, 2.0])


def _probability(x: Tensor) -> Tensor:
    return adjoint.sigmoid(x) * 0.9 + 0.05


GROUPS: Groups = {
    "distributions": {
        "stats.bernoulli": lambda x: stats.bernoulli.logpmf(np.array([0.0, 1.0, 1.0, 0.0]), _probability(x)),
        "stats.beta": lambda x: stats.beta.logpdf(_probability(x), 1.5, positive(x)),
        "stats.binom": lambda x: stats.binom.logpmf(_COUNTS, 3.0, _probability(x)),
        "stats.cauchy": lambda x: stats.cauchy.logpdf(x, 0.1, positive(x)),
        "stats.chi2": lambda x: stats.chi2.logpdf(positive(x), 2.5),
        "stats.dirichlet": lambda x: stats.dirichlet.logpdf(_probability(x), positive(x[:, 0])),
        "stats.expon": lambda x: stats.expon.logpdf(positive(x), 0.0, positive(x)),
        "stats.gamma": lambda x: stats.gamma.logpdf(positive(x), positive(-x)),
        "stats.geom": lambda x: stats.geom.logpmf(_COUNTS + 1.0, _probability(x)),
        "stats.gumbel_r": lambda x: stats.gumbel_r.logpdf(x, 0.1, positive(x)),
        "stats.halfnorm": lambda x: stats.halfnorm.logpdf(positive(x), 0.0, positive(x)),
        "stats.invgamma": lambda x: stats.invgamma.logpdf(positive(x), 1.5),
        "stats.laplace": lambda x: stats.laplace.cdf(x, 0.1, 1.5),
        "stats.logistic": lambda x: stats.logistic.logpdf(x, 0.1, positive(x)),
        "stats.lognorm": lambda x: stats.lognorm.logpdf(positive(x), 0.8),
        "stats.multinomial": lambda x: stats.multinomial.logpmf(_COUNTS, 4.0, _probability(x)),
        "stats.multivariate_normal": lambda x: stats.multivariate_normal.logpdf(
            x[:, 0], x[:, 1], positive_definite(x[:, :3])
        ),
        "stats.nbinom": lambda x: stats.nbinom.logpmf(_COUNTS, positive(x), _probability(x)),
        "stats.norm": lambda x: stats.norm.logpdf(x, 0.1, positive(x)) + stats.norm.logcdf(x),
        "stats.pareto": lambda x: stats.pareto.logpdf(positive(x) + 1.0, positive(x)),
        "stats.poisson": lambda x: stats.poisson.logpmf(_COUNTS, positive(x)),
        "stats.rayleigh": lambda x: stats.rayleigh.logpdf(positive(x)),
        "stats.t": lambda x: stats.t.logpdf(x, positive(x)) + stats.t.cdf(x, 2.5),
        "stats.uniform": lambda x: stats.uniform.logpdf(0.3, x - 3.0, positive(x) + 5.0),
        "stats.vonmises": lambda x: stats.vonmises.logpdf(x, positive(x)),
        "stats.weibull_min": lambda x: stats.weibull_min.logpdf(positive(x), 1.5),
    },
}
