"""Check, convert and describe arguments: numbers, arrays and integers."""

import operator
import reprlib
from collections.abc import Callable, Iterable
from typing import Any

from adjoint import errors
from adjoint.errors.interruptions import raise_interruption


class Operand:
    """The base class of Values and symbols: an operation on one makes another, by `_apply(op, operands)`."""

    __slots__ = ()
    _apply: Callable[..., object]


def is_number(x: object) -> bool:
    """Return whether `x` is a real number: a Python number, or a NumPy scalar or 0-d array of one."""
    if isinstance(x, (float, int)):
        return True
    if getattr(x, "ndim", 0) != 0 or not hasattr(type(x), "__float__") or isinstance(x, Operand):
        return False
    if hasattr(x, "aval") or hasattr(x, "requires_grad"):
        return False  # an array of JAX or PyTorch, which must keep its library, dtype and device
    kind = getattr(getattr(x, "dtype", None), "kind", "f")  # NumPy's, without importing it
    return kind in ("b", "i", "u", "f") and not hasattr(x, "filled")  # a masked element is not a number


def is_traced(x: object) -> bool:
    """Return whether `x` is a number of a function that is being recorded, which is not known yet: see `traced.py`."""
    return getattr(x, "_is_traced", False)


def is_array(x: object) -> bool:
    """Return whether `x` is an array of any library, or a Value that holds one, without importing that library."""
    return getattr(x, "_is_array", True) and hasattr(x, "dtype") and hasattr(x, "shape") and not is_number(x)


def is_table(x: object) -> bool:
    """Return whether `x` is a DataFrame or a Series, of pandas or Polars."""
    return hasattr(x, "to_numpy") and hasattr(x, "shape") and not hasattr(x, "__array_namespace__")


def number(x, who: str = "Value") -> float:
    """Return `x` as a float, or raise an error that says what `who` needs and what was given.

    >>> number(True)
    1.0
    >>> number("x")
    Traceback (most recent call last):
    adjoint.errors.NumberError: Value needs a number or an array of numbers, not str 'x'
    """
    if type(x) is float:
        return x
    if not is_number(x):
        hint = "; take its .data for a plain number" if isinstance(x, Operand) else ""
        if who == "Value" and isinstance(x, Iterable) and not isinstance(x, (str, bytes, dict)):
            hint = hint or "; list(…) makes a list of it"
        what = "a number or an array of numbers" if who == "Value" else "a number"
        raise errors.NumberError(f"{who} needs {what}, not {describe(x)}{hint}")
    try:
        return float(x)
    except OverflowError:
        raise errors.NumberRangeError(
            f"{who} needs a number that fits a float (up to about 1.8e308), not an integer of "
            f"{int(x).bit_length()} bits; scale it down or take its logarithm first"
        ) from None
    except (MemoryError, errors.TraceError):
        raise
    except Exception as error:
        raise_interruption(error)
        raise errors.NumberError(f"{who} needs a number, not {describe(x)}: {error}") from None


def whole(x: Any, what: str, least: int = 1) -> int:
    """Return `x` as an int, or raise an error that says that `what` must be an integer.

    >>> whole(0, "batch_size")
    Traceback (most recent call last):
    adjoint.errors.ArgumentError: batch_size must be an integer of at least 1, not int 0
    """
    try:
        found = least - 1 if isinstance(x, bool) else operator.index(x)
    except TypeError:
        found = least - 1
    if found >= 2**63:
        raise errors.ArgumentError(f"{what} is too large: {describe(x)}; give an integer that fits 64 bits")
    if found < least:
        raise errors.ArgumentError(f"{what} must be an integer of at least {least}, not {describe(x)}")
    return found


def switch(x: Any, what: str) -> bool:
    """Return `x` if it is a truth value, or raise an error that says that `what` must be one.

    >>> switch("no", "bias")
    Traceback (most recent call last):
    adjoint.errors.ArgumentError: bias must be True or False, not str 'no'
    """
    if not isinstance(x, bool) and type(x).__name__ != "bool":  # NumPy's is not a subclass
        raise errors.ArgumentError(f"{what} must be True or False, not {describe(x)}")
    return bool(x)


USE_PAIRS = (
    "pass the real and imaginary parts as two arrays; adjoint.fft transforms such pairs (see 'Complex numbers' in "
    "docs/arrays.md)"
)


def describe(x: object) -> str:
    """Return `x` for an error message: its type and a short form of it.

    >>> from adjoint.errors import describe
    >>> describe("x"), describe(None), describe([1, 2])
    ("str 'x'", 'None', 'list [1, 2]')
    """
    text, name = " ".join(_SHORT.repr(x).split()), type(x).__name__[:60]
    hint = f"; complex numbers are not supported: {USE_PAIRS}" if isinstance(x, complex) else ""
    return (text if x is None or text.startswith(f"{name}(") else f"{name} {text}") + hint


def shortened(x: object) -> str:
    """Return the repr of an object, shortened."""
    return _SHORT.repr(x)


class _Short(reprlib.Repr):
    def repr_int(self, x: int, level: int) -> str:
        bits = x.bit_length()  # Python refuses to print more than 4,300 digits
        return super().repr_int(x, level) if bits < 1000 else f"<an integer of {bits} bits>"


_SHORT = _Short()
_SHORT.maxstring = _SHORT.maxother = 60
