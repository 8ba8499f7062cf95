"""Ops that keep a function to the interval where it is defined, without a NaN in the gradient outside.

Outside, a NaN or an infinite derivative would be multiplied by a gradient of zero, which is NaN. So the argument is
replaced before the function, by a point inside, and the result after it.
"""

import math

from adjoint.engine.rule import op

inside = op(
    "inside",
    lambda m, x, low, high, point: m.where((x >= low) & (x <= high), x, point),
    lambda m, y, x, low, high, point: m.where((x >= low) & (x <= high), 1.0, 0.0),
    *[lambda m, y, x, low, high, point: 0.0] * 3,
)
# outside, -inf; but NaN where x is NaN, because parameters are out of their range
supported = op(
    "supported",
    lambda m, x, z, low, high: m.where(
        (z >= low) & (z <= high), x, m.where(m.equal(z, z) & m.equal(x, x), -math.inf, math.nan)
    ),
    lambda m, y, x, z, low, high: m.where((z >= low) & (z <= high), 1.0, 0.0),
    *[lambda m, y, x, z, low, high: 0.0] * 3,
)
inside_whole = op(
    "inside_whole",
    lambda m, x, low, high, point: m.where((x >= low) & (x <= high) & m.equal(m.floor(x), x), x, point),
    lambda m, y, x, low, high, point: m.where((x >= low) & (x <= high) & m.equal(m.floor(x), x), 1.0, 0.0),
    *[lambda m, y, x, low, high, point: 0.0] * 3,
)
supported_whole = op(
    "supported_whole",
    lambda m, x, z, low, high: m.where(
        (z >= low) & (z <= high) & m.equal(m.floor(z), z),
        x,
        m.where(m.equal(z, z) & m.equal(x, x), -math.inf, math.nan),
    ),
    lambda m, y, x, z, low, high: m.where((z >= low) & (z <= high) & m.equal(m.floor(z), z), 1.0, 0.0),
    *[lambda m, y, x, z, low, high: 0.0] * 3,
)
# x, but NaN where a parameter is, also where x does not depend on it
known = op(
    "known",
    lambda m, x, parameter: m.where(m.equal(parameter, parameter), x, math.nan),
    lambda m, y, x, parameter: m.where(m.equal(parameter, parameter), 1.0, 0.0),
    lambda m, y, x, parameter: 0.0,
)
# the nearest point of the interval
within = op(
    "within",
    lambda m, x, low, high: m.where(x < low, low, m.where(x > high, high, x)),
    lambda m, y, x, low, high: m.where((x >= low) & (x <= high), 1.0, 0.0),
    lambda m, y, x, low, high: 0.0,
    lambda m, y, x, low, high: 0.0,
)
# x from `low` to below `high`, and constants without a gradient on both sides; NaN where k is
between = op(
    "between",
    lambda m, x, k, low, high, before, after: m.where(
        k < low, before, m.where(k >= high, after, m.where(m.equal(k, k), x, k))
    ),
    lambda m, y, x, k, low, high, before, after: m.where((k >= low) & (k < high), 1.0, 0.0),
    *[lambda m, y, x, k, low, high, before, after: 0.0] * 5,
)
# log(p) from p and 1 - p: the smaller one of them has the correct digits
log_of_share = op(
    "log_of_share",
    lambda m, p, rest: m.where(p > 0.5, m.log1p(-m.minimum(rest, 0.5)), m.log(p)),
    lambda m, y, p, rest: m.where(p > 0.5, 0.0, 1 / p),
    lambda m, y, p, rest: m.where(p > 0.5, 1 / (m.minimum(rest, 0.5) - 1), 0.0),
)
# the distribution function of Laplace, which is smooth at 0 where its formula changes
laplace_cdf = op(
    "laplace_cdf",
    lambda m, x: m.where(x < 0, 0.5 * m.exp(-m.abs(x)), 1 - 0.5 * m.exp(-m.abs(x))),
    lambda m, y, x: 0.5 * m.exp(-m.abs(x)),
)
laplace_logcdf = op(
    "laplace_logcdf",
    lambda m, x: m.where(x < 0, m.minimum(x, 0.0) - math.log(2), m.log1p(-0.5 * m.exp(-m.maximum(x, 0.0)))),
    lambda m, y, x: m.where(x < 0, 1.0, 0.5 / (m.exp(m.maximum(x, 0.0)) - 0.5)),
)
# densities whose slopes would cancel near the mode
logistic_logpdf = op(
    "logistic_logpdf",
    lambda m, x: -m.abs(x) - 2 * m.log1p(m.exp(-m.abs(x))),
    lambda m, y, x: -m.tanh(0.5 * x),
)
gumbel_logpdf = op("gumbel_logpdf", lambda m, x: -(x + m.exp(-x)), lambda m, y, x: m.expm1(-x))
# log(1 - exp(-exp(-x))), the logarithm of the survival function of Gumbel; beyond 20 the first terms of its series. The
# arguments are bounded, such that no branch overflows.
gumbel_logsf = op(
    "gumbel_logsf",
    lambda m, x: m.where(
        x > 20,
        -x - 0.5 * m.exp(-m.maximum(x, 20.0)),
        m.where(
            x < 0,
            m.log1p(-m.exp(-m.exp(-m.minimum(m.maximum(x, -50.0), 0.0)))),
            m.log(-m.expm1(-m.exp(-m.minimum(m.maximum(x, 0.0), 20.0)))),
        ),
    ),
    lambda m, y, x: m.where(
        x > 20,
        0.5 * m.exp(-m.maximum(x, 20.0)) - 1,
        m.exp(-m.minimum(m.maximum(x, -50.0), 20.0) - m.exp(-m.minimum(m.maximum(x, -50.0), 20.0)))
        / m.expm1(-m.exp(-m.minimum(m.maximum(x, -50.0), 20.0))),
    ),
)
# the quantiles of Cauchy, with the correct digits in both tails
cauchy_ppf = op(
    "cauchy_ppf",
    lambda m, q: m.where(q > 0.5, 1 / m.tan(math.pi * (1 - q)), -1 / m.tan(math.pi * q)),
    lambda m, y, q: math.pi * (1 + y * y),
)
