"""What a distribution is: its functions in a standard form, moved by `loc` and stretched by `scale`.

A distribution defines `_logpdf(z, *shapes)` and, where there is one, `_cdf(z, *shapes)` at z = (x - loc) / scale. The
base class reads the arguments as SciPy does, and gives the functions their values outside the support: a log-density of
-inf there receives no gradient. As in SciPy, a parameter out of its range gives NaN.
"""

import math
import sys
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from adjoint.arrays.convert import as_floats, as_operand, data_of
from adjoint.arrays.functions.shaping import astype
from adjoint.arrays.functions.support import (
    between,
    inside,
    inside_whole,
    known,
    log_of_share,
    supported,
    supported_whole,
    within,
)
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, MissingRuleError

ABOVE_0 = 1.1754943508222875e-38  # the smallest normal number of float32, and the largest one
LARGEST = 3.4028234663852886e38
_IN_DOUBLE = {ABOVE_0: sys.float_info.min, LARGEST: sys.float_info.max}
# The ranges of parameters that may be 0; the others, and scale, are positive.
_RANGES = {"p": (0.0, 1.0), "n": (0.0, math.inf), "mu": (0.0, math.inf), "kappa": (0.0, math.inf)}
# The values of the functions of the cumulative distribution before the support and behind it.
_ENDS = {"cdf": (0.0, 1.0), "sf": (1.0, 0.0), "logcdf": (-math.inf, 0.0), "logsf": (0.0, -math.inf)}


class Distribution:
    """A family of distributions of one number: the arguments that its functions take, and its support."""

    name = ""
    shapes: tuple[str, ...] = ()  # the parameters beyond loc and scale
    low, high = -math.inf, math.inf  # the support, in the standard form
    inner = 0.0  # a point inside it
    moved: tuple[str, ...] = ("loc", "scale")
    whole: tuple[str, ...] = ()  # the parameters that are whole numbers

    def _read(self, function: str, given: Sequence, named: dict[str, object]) -> tuple[list, Any, Any]:
        """Return the shapes, loc and scale of a call, which are given by position or by name; None for a default."""
        names = (*self.shapes, *self.moved)
        call = f"{self.name}.{function}"
        if len(given) > len(names):
            raise ArgumentError(f"{call} takes at most {len(names)} parameters ({', '.join(names)}), not {len(given)}")
        found = dict(zip(names, given))
        for name, x in named.items():
            if name not in names:
                raise ArgumentError(f"{call} has no parameter {name!r}; its parameters are {', '.join(names)}")
            if name in found:
                raise ArgumentError(f"{call} got {name} twice, by position and by name")
            found[name] = x
        missing = [name for name in self.shapes if name not in found]
        if missing:
            raise ArgumentError(f"{call} needs {', '.join(missing)}")
        values = {name: _in_range(name, as_operand(x), name in self.whole) for name, x in found.items()}
        return [values[name] for name in self.shapes], values.get("loc"), values.get("scale")

    def _standard(self, x, loc, scale) -> Value:
        x = as_operand(x)
        x = x if loc is None else ops.sub(x, loc)
        return x if scale is None else ops.div(x, scale)

    def _support(self, z, shapes: Sequence) -> tuple[Any, Any]:
        return _end(self.low, z), _end(self.high, z)

    def _evaluate(self, name: str, z, shapes: Sequence) -> Value:
        """Return a function of the distribution: its own formula, or one derived from its other functions."""
        own = getattr(self, f"_{name}", None)
        if own is not None:
            return own(z, *shapes)
        if name == "cdf":
            raise MissingRuleError(f"{self.name} has no cdf in adjoint.stats")
        if name == "sf":
            return ops.sub(1.0, self._evaluate("cdf", z, shapes))
        share, rest = ("cdf", "sf") if name == "logcdf" else ("sf", "cdf")
        wide = _as_double(z)  # a share below 1e-38 would be 0 in float32
        found = log_of_share(self._evaluate(share, wide, shapes), self._evaluate(rest, wide, shapes))
        return found if wide is z else astype(found, z.dtype)

    def _distribute(self, name: str, x, given, named) -> Value:
        """Return one of the functions of the cumulative distribution."""
        shapes, loc, scale = self._read(name, given, named)
        z = self._standard(x, loc, scale)
        low, high = self._support(z, shapes)
        if self.low == -math.inf and self.high == math.inf:
            return self._evaluate(name, z, shapes)
        if not name.startswith("log"):
            found = self._evaluate(name, within(z, low, high), shapes)
            found = between(found, z, low, math.inf, *_ENDS[name]) if self.low == ABOVE_0 else found
        else:
            found = self._evaluate(name, inside(z, low, high, self.inner), shapes)
            found = between(found, z, low, high, *_ENDS[name])
        return reduce(known, shapes, found)

    def cdf(self, x, *parameters, **named) -> Value:
        """Return the probability of a number of at most x."""
        return self._distribute("cdf", x, parameters, named)

    def logcdf(self, x, *parameters, **named) -> Value:
        """Return the logarithm of the cdf."""
        return self._distribute("logcdf", x, parameters, named)

    def sf(self, x, *parameters, **named) -> Value:
        """Return the survival function, 1 - cdf."""
        return self._distribute("sf", x, parameters, named)

    def logsf(self, x, *parameters, **named) -> Value:
        """Return the logarithm of the survival function."""
        return self._distribute("logsf", x, parameters, named)

    def __repr__(self) -> str:
        return f"<distribution {self.name}({', '.join((*self.shapes, *self.moved))})>"


def _as_double(z) -> Value:
    """Return an array of float32 in float64. JAX, which may have no float64, keeps its dtype."""
    data = data_of(z)
    return astype(z, "float64") if isinstance(data, np.ndarray) and data.dtype == np.float32 else z


def _end(limit: float, x) -> float:
    """Return an end of a support, such as the smallest positive number, in the dtype of `x`."""
    return _IN_DOUBLE.get(limit, limit) if str(getattr(data_of(x), "dtype", "float64")).endswith("float64") else limit


def _in_range(name: str, x, whole: bool) -> Value:
    """Return a parameter, or NaN where it is out of its range."""
    if name == "loc":
        return x
    low, high = _RANGES.get(name, (ABOVE_0, math.inf))
    return (inside_whole if whole else inside)(x, _end(low, x), high, math.nan)


def _as_floats(x, shapes: Sequence) -> Value:
    """Return counts; lists and integers in the dtype of the first parameter that is an array."""
    like = next((shape for shape in shapes if hasattr(data_of(shape), "dtype")), None)
    return as_floats(x, like)


class Continuous(Distribution):
    """A family of distributions with a density."""

    _logpdf: Callable[..., Value]
    _ppf: Callable[..., Value] | None = None
    _isf: Callable[..., Value] | None = None

    def logpdf(self, x, *parameters, **named) -> Value:
        """Return the logarithm of the density at x; -inf outside the support."""
        shapes, loc, scale = self._read("logpdf", parameters, named)
        z = self._standard(x, loc, scale)
        low, high = self._support(z, shapes)
        everywhere = self.low == -math.inf and self.high == math.inf
        found = self._logpdf(z if everywhere else inside(z, low, high, self.inner), *shapes)
        if scale is not None:
            found = ops.sub(found, ops.log(scale))
        return found if everywhere else supported(found, z, low, high)

    def pdf(self, x, *parameters, **named) -> Value:
        """Return the density at x."""
        return ops.exp(self.logpdf(x, *parameters, **named))

    def ppf(self, q, *parameters, **named) -> Value:
        """Return the quantile: the x whose cdf is q."""
        return self._quantile("ppf", q, parameters, named)

    def isf(self, q, *parameters, **named) -> Value:
        """Return the x whose survival function is q."""
        return self._quantile("isf", q, parameters, named)

    def _quantile(self, name: str, q, given, named) -> Value:
        shapes, loc, scale = self._read(name, given, named)
        quantile = self._ppf if name == "ppf" else self._isf
        if quantile is None:
            raise MissingRuleError(f"{self.name} has no {name} in adjoint.stats")
        x = quantile(inside(as_operand(q), 0.0, 1.0, math.nan), *shapes)
        x = x if scale is None else ops.mul(x, scale)
        return x if loc is None else ops.add(x, loc)


class Discrete(Distribution):
    """A family of distributions of whole numbers."""

    moved = ("loc",)

    _logpmf: Callable[..., Value]

    def logpmf(self, k, *parameters, **named) -> Value:
        """Return the logarithm of the probability of k; -inf outside the support, and between whole numbers."""
        shapes, loc, _ = self._read("logpmf", parameters, named)
        k = _as_floats(k, shapes)
        z = self._standard(k, loc, None)
        low, high = self._support(z, shapes)
        return supported_whole(self._logpmf(inside_whole(z, low, high, self.inner), *shapes), z, low, high)

    def _distribute(self, name: str, x, given, named) -> Value:
        shapes, loc, _ = self._read(name, given, named)
        x = _as_floats(x, shapes)
        k = ops.floor(data_of(self._standard(x, loc, None)))
        low, high = self._support(k, shapes)
        found = self._evaluate(name, within(k, low, ops.sub(high, 1.0)), shapes)
        return reduce(known, shapes, between(found, k, low, high, *_ENDS[name]))

    def pmf(self, k, *parameters, **named) -> Value:
        """Return the probability of k."""
        return ops.exp(self.logpmf(k, *parameters, **named))
