"""Messages of a page: a JSON text read, and its fields, each with what is expected of it.

A page is a program that may be older, newer or another than ours: nothing in a message is believed before it went
through one of these functions. What does not fit raises a `LabError`, which the page shows.
"""

import json
import math
from collections.abc import Iterable
from typing import Any

from adjoint.errors import LabError
from adjoint.errors.given import described
from adjoint.errors.suggest import unknown

DEEPEST = 16  # lists and objects within each other
_REQUIRED: Any = object()


def read(text: str) -> dict[str, Any]:
    """Return the message that a text holds.

    >>> read('{"id": 1, "room": "explore", "do": "open"}')
    {'id': 1, 'room': 'explore', 'do': 'open'}
    >>> read("[1, 2]")
    Traceback (most recent call last):
    adjoint.errors.LabError: a message is a JSON object, not list [1, 2]
    """
    try:
        message = json.loads(text, parse_constant=_no_constant)
    except LabError:
        raise
    except RecursionError:
        raise _too_deep() from None
    except json.JSONDecodeError as error:
        raise LabError(f"a message is a JSON text, and this is none: {error}") from None
    except ValueError:  # from Python, which converts no more than 4300 digits
        raise LabError("a message holds an integer of thousands of digits") from None
    if not isinstance(message, dict):
        raise LabError(f"a message is a JSON object, not {described(message)}")
    # The brackets of a text bound its depth, and few messages have so many that one has to look.
    if text.count("[") + text.count("{") > DEEPEST and _depth(message) > DEEPEST:
        raise _too_deep()
    return message


def _no_constant(name: str) -> None:
    raise LabError(f"JSON has no {name}; numbers in messages are finite")


def _too_deep() -> LabError:
    return LabError(f"the lists and objects of a message are nested at most {DEEPEST} deep")


def _depth(message: dict[str, Any]) -> int:
    depth, level = 0, [message]
    while level and depth <= DEEPEST:
        depth += 1
        inner: list[Any] = []
        for part in level:
            parts = part.values() if isinstance(part, dict) else part
            inner += [x for x in parts if isinstance(x, (dict, list))]
        level = inner
    return depth


def whole(message: dict[str, Any], name: str, least: int, most: int, default: Any = _REQUIRED) -> int:
    """Return a field that is a whole number within bounds; without the field, the default.

    >>> whole({"layers": 3}, "layers", 1, 8)
    3
    >>> whole({"layers": 9}, "layers", 1, 8)
    Traceback (most recent call last):
    adjoint.errors.LabError: layers must be a whole number from 1 to 8, not int 9
    """
    expected = f"a whole number from {least} to {most}"
    given = _field(message, name, expected, default)
    if given is default:
        return given
    if not isinstance(given, int) or isinstance(given, bool) or not least <= given <= most:
        raise _misfit(name, expected, given)
    return given


def number(
    message: dict[str, Any], name: str, least: float = -math.inf, most: float = math.inf, default: Any = _REQUIRED
) -> float:
    """Return a field that is a finite number within bounds; without the field, the default.

    >>> number({"noise": 1}, "noise", 0, 1)
    1.0
    >>> number({"lr": "fast"}, "lr")
    Traceback (most recent call last):
    adjoint.errors.LabError: lr must be a number, not str 'fast'
    """
    given = _field(message, name, _a_number(least, most), default)
    return given if given is default else finite(given, name, least, most)


def finite(given: Any, name: str, least: float = -math.inf, most: float = math.inf) -> float:
    """Return what was given, an element of a list for example, as a finite float within bounds.

    >>> finite(2, "a coordinate", -5, 5)
    2.0
    """
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        try:
            found = float(given)
        except OverflowError:
            found = math.inf
        if math.isfinite(found) and least <= found <= most:
            return found
    raise _misfit(name, _a_number(least, most), given)


def _a_number(least: float, most: float) -> str:
    return "a number" if (least, most) == (-math.inf, math.inf) else f"a number from {least:g} to {most:g}"


def flag(message: dict[str, Any], name: str, default: Any = _REQUIRED) -> bool:
    """Return a field that is true or false; without the field, the default.

    >>> flag({"on": True}, "on")
    True
    """
    expected = "true or false"
    given = _field(message, name, expected, default)
    if given is not default and not isinstance(given, bool):
        raise _misfit(name, expected, given)
    return given


def text(message: dict[str, Any], name: str, longest: int, default: Any = _REQUIRED) -> str:
    """Return a field that is a text of at most so many characters; without the field, the default.

    >>> text({"expression": "a*b"}, "expression", 500)
    'a*b'
    """
    expected = f"a text of at most {longest} characters"
    given = _field(message, name, expected, default)
    if given is default:
        return given
    if not isinstance(given, str) or len(given) > longest:
        raise _misfit(name, expected, given)
    if "\0" in given or any("\ud800" <= letter <= "\udfff" for letter in given):  # JSON has them, files and UTF-8 not
        raise LabError(f"{name} holds characters that are no text (NUL, or half of a pair): {described(given)}")
    return given


def one_of(message: dict[str, Any], name: str, known: Iterable[str], default: Any = _REQUIRED) -> str:
    """Return a field that is one of the known names; without the field, the default.

    >>> one_of({"loss": "hinge"}, "loss", ["hinge", "mse"])
    'hinge'
    >>> one_of({"loss": "hing"}, "loss", ["hinge", "mse"])
    Traceback (most recent call last):
    adjoint.errors.LabError: unknown loss 'hing' (did you mean 'hinge'?); the known ones: hinge, mse
    """
    known = list(known)
    given = _field(message, name, f"one of {', '.join(known)}", default)
    if given is not default and not (isinstance(given, str) and given in known):
        raise LabError(str(unknown(name, given[:60] if isinstance(given, str) else given, known)))
    return given


def items(message: dict[str, Any], name: str, most: int, default: Any = _REQUIRED) -> list[Any]:
    """Return a field that is a list of at most so many elements, which are read one by one; else the default.

    >>> items({"sizes": [4, 4]}, "sizes", 6)
    [4, 4]
    """
    expected = f"a list of at most {most} elements"
    given = _field(message, name, expected, default)
    if given is not default and not (isinstance(given, list) and len(given) <= most):
        raise _misfit(name, expected, given)
    return given


def fields(message: dict[str, Any], name: str, default: Any = _REQUIRED) -> dict[str, Any]:
    """Return a field that is an object, whose fields are read in turn; without the field, the default.

    >>> number(fields({"numbers": {"a": 2}}, "numbers"), "a")
    2.0
    """
    expected = "an object"
    given = _field(message, name, expected, default)
    if given is not default and not isinstance(given, dict):
        raise _misfit(name, expected, given)
    return given


def _field(message: dict[str, Any], name: str, expected: str, default: Any) -> Any:
    given = message.get(name, default)
    if given is _REQUIRED:
        raise LabError(f"{name} is missing: {expected} is expected")
    return given


def _misfit(name: str, expected: str, given: Any) -> LabError:
    return LabError(f"{name} must be {expected}, not {described(given)}")
