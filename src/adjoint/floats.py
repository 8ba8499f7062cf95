"""Plain numbers: what counts as one, and mathematics on them that follows IEEE 754.

Python raises where IEEE 754 has an answer (`1 / 0`, `math.log(0)`, `math.exp(1000)`). A rule of
`ops.py` is read with this module as its `m`, and so gets the answer: inf, -inf or NaN. All functions
are those of the C library, so that they agree with the native core to the last bit.
"""

import builtins
import math
import reprlib
from math import copysign, inf, nan
from typing import Any

from adjoint.errors import ArgumentError, NumberError, NumberRangeError


def is_number(x: object) -> bool:
    """Return whether `x` is a real number: a Python number, or a NumPy scalar or 0-d array of one."""
    if isinstance(x, (float, int)):
        return True
    if getattr(x, "ndim", 0) != 0 or not hasattr(type(x), "__float__") or hasattr(x, "_apply"):
        return False
    if hasattr(x, "aval") or hasattr(x, "requires_grad"):
        return False  # an array of JAX or PyTorch, which keeps its library, dtype and device
    kind = getattr(getattr(x, "dtype", None), "kind", "f")  # NumPy's, without importing it
    return kind in ("b", "i", "u", "f")


def is_array(x: object) -> bool:
    """Return whether `x` is an array of any library, asking nothing of libraries that are not loaded."""
    return hasattr(x, "dtype") and hasattr(x, "shape") and not is_number(x)


def number(x, who: str = "Value") -> float:
    """Return `x` as a float, or say what was given and what `who` needs.

    >>> number(True)
    1.0
    >>> number("x")
    Traceback (most recent call last):
    adjoint.errors.NumberError: Value needs a number or an array of numbers, not str 'x'
    """
    if type(x) is float:
        return x
    if not is_number(x):
        hint = "; take its .data for a plain number" if hasattr(x, "_apply") else ""
        if who == "Value" and hasattr(x, "__iter__") and not isinstance(x, (str, bytes, dict)):
            hint = hint or "; list(…) makes a list of it"
        what = "a number or an array of numbers" if who == "Value" else "a number"
        raise NumberError(f"{who} needs {what}, not {described(x)}{hint}")
    try:
        return float(x)
    except OverflowError:
        raise NumberRangeError(
            f"{who} needs a number that fits a float (up to about 1.8e308), not an integer of "
            f"{int(x).bit_length()} bits; scale it down or take its logarithm first"
        ) from None
    except Exception as error:
        raise NumberError(f"{who} needs a number, not {described(x)}: {error}") from None


def whole(x: Any, what: str, least: int = 1) -> int:
    """Return `x` as an int, or say that `what` must be a whole number.

    >>> whole(0, "batch_size")
    Traceback (most recent call last):
    adjoint.errors.ArgumentError: batch_size must be a whole number of at least 1, not int 0
    """
    if isinstance(x, bool) or not hasattr(x, "__index__") or x < least:
        raise ArgumentError(f"{what} must be a whole number of at least {least}, not {described(x)}")
    return int(x)


def described(x: object) -> str:
    """Return `x` as an error message names it: its type and a short form of it.

    >>> described("x"), described(None), described([1, 2])
    ("str 'x'", 'None', 'list [1, 2]')
    """
    text, name = " ".join(_SHORT.repr(x).split()), type(x).__name__
    return text if x is None or text.startswith(f"{name}(") else f"{name} {text}"


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60


def _ieee(function, beyond):
    """Return `function` of the math module, answering `beyond(x)` where it would raise."""

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


exp, expm1 = _ieee(math.exp, _infinite), _ieee(math.expm1, _infinite)
cosh, sinh = _ieee(math.cosh, _infinite), _ieee(math.sinh, _infinite_like)
log, log2, log10 = (_ieee(f, _pole_at(0)) for f in (math.log, math.log2, math.log10))
log1p = _ieee(math.log1p, _pole_at(-1))
atanh = _ieee(math.atanh, lambda x: _infinite_like(x) if x in (1, -1) else nan)
sqrt, acosh = _ieee(math.sqrt, _undefined), _ieee(math.acosh, _undefined)
sin, cos, tan = (_ieee(f, _undefined) for f in (math.sin, math.cos, math.tan))
asin, acos = _ieee(math.asin, _undefined), _ieee(math.acos, _undefined)
atan, atan2, asinh, tanh, erf = math.atan, math.atan2, math.asinh, math.tanh, math.erf
abs = math.fabs


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


def maximum(x: float, z: float) -> float:
    return x if x > z or x != x else z  # NaN wins, as in PyTorch


def minimum(x: float, z: float) -> float:
    return x if x < z or x != x else z


def where(condition: bool, x: float, z: float) -> float:
    return x if condition else z


def equal(x: float, z: float) -> bool:
    return x == z


class IEEEFloat(float):
    """A float whose `/` and `**` answer as IEEE 754 says where Python's would raise."""

    __slots__ = ()


def _wrapped(function):
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
    setattr(IEEEFloat, f"__{_name}__", _wrapped(_function))


class IEEEMaths:
    """This module again, its functions giving IEEEFloats: the `m` of a rule that met a pole."""

    where, equal = staticmethod(where), staticmethod(equal)

    def __getattr__(self, name):
        return _wrapped(globals()[name])
