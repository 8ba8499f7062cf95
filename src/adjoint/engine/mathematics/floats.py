"""Mathematics on floats that follows IEEE 754.

Python raises where IEEE 754 defines a result (`1 / 0`, `math.log(0)`, `math.exp(1000)`). A rule of `ops.py` that is
evaluated with this module as its `m` gets that result: inf, -inf or NaN. All functions are those of the C library, so
they agree with the native core to the last bit.
"""

import builtins
import math
from math import inf, nan


def _ieee(function, beyond):
    """Return `function` of the math module with the result `beyond(x)` where it would raise."""

    def quiet(x: float) -> float:
        try:
            return function(x)
        except (ValueError, OverflowError):
            return beyond(x)

    return quiet


def _infinite(x):
    return inf


def _infinite_like(x):
    return copysign(inf, x)


def _undefined(x):
    return nan


def _pole_at(pole):
    return lambda x: -inf if x == pole else nan


exp, exp2, expm1 = (_ieee(f, _infinite) for f in (math.exp, math.exp2, math.expm1))
cosh, sinh = _ieee(math.cosh, _infinite), _ieee(math.sinh, _infinite_like)
log, log2, log10 = (_ieee(f, _pole_at(0)) for f in (math.log, math.log2, math.log10))
log1p = _ieee(math.log1p, _pole_at(-1))
atanh = _ieee(math.atanh, lambda x: _infinite_like(x) if x in (1, -1) else nan)
sqrt, acosh = _ieee(math.sqrt, _undefined), _ieee(math.acosh, _undefined)
sin, cos, tan = (_ieee(f, _undefined) for f in (math.sin, math.cos, math.tan))
asin, acos = _ieee(math.asin, _undefined), _ieee(math.acos, _undefined)
atan, atan2, asinh, tanh, erf = math.atan, math.atan2, math.asinh, math.tanh, math.erf
abs, cbrt = math.fabs, math.cbrt


def _to_whole(function):
    def whole(x: float) -> float:
        return copysign(float(function(x)), x) if math.isfinite(x) else x

    return whole


floor, ceil, trunc = _to_whole(math.floor), _to_whole(math.ceil), _to_whole(math.trunc)
round = _to_whole(builtins.round)


def pow(x: float, z: float) -> float:
    try:
        return math.pow(x, z)
    except OverflowError:
        return -inf if x < 0 and z % 2 == 1 else inf
    except ValueError:
        if x != 0:
            return nan  # a fractional power of a negative number
        return copysign(inf, x) if z % 2 == 1 else inf


def divide(x: float, z: float) -> float:
    if z != 0:
        return float(x) / float(z)
    return nan if x == 0 or x != x else copysign(inf, x) * copysign(1.0, z)


def remainder(x: float, z: float) -> float:
    return x % z if z else nan


def floor_divide(x: float, z: float) -> float:
    return x // z if z else divide(x, z)


def fmod(x: float, z: float) -> float:
    try:
        return math.fmod(x, z)
    except ValueError:
        return nan


def copysign(x: float, z: float) -> float:
    return math.copysign(x, z if z == z else 1.0)  # processors give NaN either sign


def hypot(x: float, z: float) -> float:
    if not (math.isfinite(x) and math.isfinite(z)):
        return inf if math.isinf(x) or math.isinf(z) else nan
    try:
        return builtins.abs(complex(x, z))  # calls hypot of the C library; math.hypot has an algorithm of its own
    except OverflowError:
        return inf


def maximum(x: float, z: float) -> float:
    return x if x > z or x != x else z  # NaN wins, as in PyTorch


def minimum(x: float, z: float) -> float:
    return x if x < z or x != x else z


def where(condition: object, x: float, z: float) -> float:
    return x if condition else z


def equal(x: float, z: float) -> bool:
    return x == z


class IEEEFloat(float):
    """A float whose `/` and `**` follow IEEE 754 where Python's would raise."""

    __slots__ = ()


def _wrap(function):
    def wrapped(*xs):
        result = function(*xs)
        return result if result is NotImplemented else IEEEFloat(result)

    return wrapped


for _name, _function in {
    "add": float.__add__, "radd": float.__radd__, "sub": float.__sub__, "rsub": float.__rsub__,
    "mul": float.__mul__, "rmul": float.__rmul__, "neg": float.__neg__, "abs": float.__abs__,
    "truediv": divide, "rtruediv": lambda x, z: divide(z, x),
    "pow": pow, "rpow": lambda x, z: pow(z, x),
}.items():  # fmt: skip
    setattr(IEEEFloat, f"__{_name}__", _wrap(_function))


class IEEEMaths:
    """The functions of this module, returning IEEEFloats: the `m` of a rule at a pole."""

    where, equal = staticmethod(where), staticmethod(equal)

    def __getattr__(self, name):
        return _wrap(globals()[name])
