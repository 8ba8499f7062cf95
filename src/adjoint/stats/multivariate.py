"""Distributions of vectors, in the parameters of `scipy.stats`."""

import math

import numpy as np

from adjoint.arrays.convert import as_floats, as_operand, data_of
from adjoint.arrays.functions import indexing, linalg, reductions, shaping, special_rules as rules
from adjoint.arrays.functions.support import supported
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ShapeError


def _shape(x) -> tuple[int, ...]:
    return tuple(np.shape(data_of(x)))


def _require_covariance(shape: tuple[int, ...], size: int) -> None:
    if shape not in ((size, size), (size,), ()):
        raise ShapeError(
            f"multivariate_normal: vectors of size {size} need a covariance of shape {(size, size)}, {(size,)} or (), "
            f"not {shape}"
        )


def _factor(cov) -> Value:
    """Return the Cholesky factor of a covariance matrix; variances stay as they are."""
    return linalg.cholesky(cov) if len(_shape(cov)) == 2 else cov


def _logdet(factor, size: int) -> Value:
    """Return the logarithm of the determinant of a covariance, given its factor or its variances."""
    ndim = len(_shape(factor))
    if ndim == 0:
        return ops.mul(float(size), ops.log(factor))
    if ndim == 1:
        return reductions.sum(ops.log(factor))
    return ops.mul(2.0, reductions.sum(ops.log(indexing.diagonal(factor))))


class MultivariateNormal:
    """The normal distribution of vectors, given its mean and its covariance matrix.

    >>> import numpy as np
    >>> from adjoint import Value, stats
    >>> mean = Value([1.0, 2.0])
    >>> density = stats.multivariate_normal.logpdf(np.zeros(2), mean, [[2.0, 0.0], [0.0, 0.5]])
    >>> density.backward()
    >>> round(density.item(), 6), mean.grad.round(6)
    (-6.087877, array([-0.5, -4. ]))
    """

    def logpdf(self, x, mean=None, cov: object = 1.0) -> Value:
        """Return the logarithm of the density at each vector of `x`, which lie along its last axis.

        The covariance is a matrix, a vector of variances, or one variance for all.
        """
        x, cov = as_operand(x), as_operand(cov)
        deviation = x if mean is None else ops.sub(x, as_operand(mean))
        shape = _shape(deviation)
        if not shape:
            raise ShapeError("multivariate_normal.logpdf needs vectors along the last axis of x, not one number")
        size = shape[-1]
        _require_covariance(_shape(cov), size)
        factor = _factor(cov)
        logdet = _logdet(factor, size)
        if len(_shape(cov)) < 2:
            distance = reductions.sum(ops.div(ops.square(deviation), cov), -1)
        else:
            columns = shaping.transpose(shaping.reshape(deviation, (-1, size)))
            solved = linalg.solve(factor, columns)
            distance = shaping.reshape(reductions.sum(ops.square(solved), 0), shape[:-1])
        return ops.mul(-0.5, ops.add(distance, ops.add(logdet, size * math.log(2 * math.pi))))

    def pdf(self, x, mean=None, cov: object = 1.0) -> Value:
        """Return the density at each vector of `x`."""
        return ops.exp(self.logpdf(x, mean, cov))

    def entropy(self, mean=None, cov: object = 1.0) -> Value:
        """Return the differential entropy. It does not depend on the mean, which gives the size of the vectors."""
        cov = as_operand(cov)
        shape = _shape(cov)
        size = (_shape(mean) or shape or (1,))[-1]
        _require_covariance(shape, size)
        return ops.mul(0.5, ops.add(_logdet(_factor(cov), size), size * (1.0 + math.log(2 * math.pi))))


class Dirichlet:
    """The distribution of Dirichlet, of vectors of positive numbers whose sum is 1.

    >>> from adjoint import Value, stats
    >>> round(stats.dirichlet.pdf(Value([0.2, 0.3, 0.5]), [1.0, 1.0, 1.0]).item(), 6)
    2.0
    """

    def logpdf(self, x, alpha) -> Value:
        """Return the logarithm of the density at `x`, whose first axis has the size of `alpha`, or one less.

        If it has one less, the last number is 1 minus the sum of the others, as in SciPy. Unlike in SciPy, it is not
        checked that the sum is 1.
        """
        x, alpha = as_operand(x), as_operand(alpha)
        size, shape = _shape(alpha), _shape(x)
        if len(size) != 1 or not shape or shape[0] not in (size[0], size[0] - 1):
            raise ShapeError(f"dirichlet.logpdf: alpha is a vector and x has as many rows; got {size} and {shape}")
        if shape[0] < size[0]:
            x = shaping.concat([x, ops.sub(1.0, reductions.sum(x, 0, True))], 0)
        powers = shaping.reshape(ops.sub(alpha, 1.0), (-1,) + (1,) * (len(shape) - 1))
        total = reductions.sum(rules.xlogy(powers, x), 0)
        return ops.add(total, ops.sub(rules.gammaln(reductions.sum(alpha)), reductions.sum(rules.gammaln(alpha))))

    def pdf(self, x, alpha) -> Value:
        """Return the density at `x`."""
        return ops.exp(self.logpdf(x, alpha))


class Multinomial:
    """How often each of several outcomes occurs in `n` trials, given their probabilities `p`.

    >>> from adjoint import Value, stats
    >>> round(stats.multinomial.pmf([1, 1, 2], 4, Value([0.25, 0.25, 0.5])).item(), 6)
    0.1875
    """

    def logpmf(self, x, n, p) -> Value:
        """Return the logarithm of the probability of counts along the last axis of `x`; -inf if their sum is not n."""
        p = as_operand(p)
        x, n = as_floats(x, p), as_floats(n, p)
        if not _shape(x) or not _shape(p):
            raise ShapeError(f"multinomial.logpmf: x and p are vectors; got the shapes {_shape(x)} and {_shape(p)}")
        if _shape(x)[-1] != _shape(p)[-1]:
            raise ShapeError(
                f"multinomial.logpmf: {_shape(x)[-1]} counts for {_shape(p)[-1]} probabilities; give one each"
            )
        each = ops.sub(rules.xlogy(x, p), rules.gammaln(ops.add(x, 1.0)))
        found = ops.add(rules.gammaln(ops.add(n, 1.0)), reductions.sum(each, -1))
        counts = data_of(x)
        found = supported(found, reductions.min(counts, -1), 0.0, math.inf)
        return supported(found, reductions.sum(counts, -1), n, n)

    def pmf(self, x, n, p) -> Value:
        """Return the probability of the counts `x`."""
        return ops.exp(self.logpmf(x, n, p))


multivariate_normal = MultivariateNormal()
"""`multivariate_normal.logpdf(x, mean=None, cov=1)`, and `pdf`."""
dirichlet = Dirichlet()
"""`dirichlet.logpdf(x, alpha)`, and `pdf`."""
multinomial = Multinomial()
"""`multinomial.logpmf(x, n, p)`, and `pmf`."""
