"""Read the messages of a page: parse the JSON text, and validate its fields one by one.

A page may be older or newer than the server, or a different program. Every field therefore passes through one of these
functions before it is used. An invalid field raises a `LabError`, whose text the page shows.
"""

import json
import math
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, Final, TypeVar

from adjoint.errors import LabError, describe, unknown_name_error

Message = Mapping[str, object]
Default = TypeVar("Default")

MAX_DEPTH = 16  # of nested lists and objects


class Required(Enum):
    """The default of a field that has none."""

    REQUIRED = 0


REQUIRED: Final = Required.REQUIRED


def read(text: str) -> dict[str, Any]:
    """Parse a message.

    >>> read('{"id": 1, "room": "explore", "do": "open"}')
    {'id': 1, 'room': 'explore', 'do': 'open'}
    >>> read("[1, 2]")
    Traceback (most recent call last):
    adjoint.errors.LabError: a message must be a JSON object, not list [1, 2]
    """
    try:
        message = json.loads(text, parse_constant=_refuse_constant)
    except LabError:
        raise
    except RecursionError:
        raise _too_deep() from None
    except json.JSONDecodeError as error:
        raise LabError(f"a message must be JSON, and this is not: {error}") from None
    except ValueError:  # Python converts at most 4300 digits to an integer
        raise LabError("a message contains an integer with thousands of digits; send fewer digits") from None
    if not isinstance(message, dict):
        raise LabError(f"a message must be a JSON object, not {describe(message)}")
    # The number of brackets bounds the depth, so most messages need no closer look.
    if text.count("[") + text.count("{") > MAX_DEPTH and _depth(message) > MAX_DEPTH:
        raise _too_deep()
    return message


def _refuse_constant(name: str) -> None:
    raise LabError(f"JSON has no {name}; send finite numbers")


def _too_deep() -> LabError:
    return LabError(f"lists and objects in a message may be nested at most {MAX_DEPTH} deep")


def _depth(message: Message) -> int:
    depth = 0
    level: list[object] = [message]
    while level and depth <= MAX_DEPTH:
        depth += 1
        inner: list[object] = []
        for part in level:
            parts = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
            inner += [x for x in parts if isinstance(x, (dict, list))]
        level = inner
    return depth


def whole(message: Message, name: str, least: int, most: int, default: Default | Required = REQUIRED) -> int | Default:
    """Return a field that is an integer within bounds, or the default if the field is missing.

    >>> whole({"layers": 3}, "layers", 1, 8)
    3
    >>> whole({"layers": 9}, "layers", 1, 8)
    Traceback (most recent call last):
    adjoint.errors.LabError: layers must be a whole number from 1 to 8, not int 9
    """
    expected = f"a whole number from {least} to {most}"
    given = message.get(name, default)
    if given is default:
        return _default(name, expected, default)
    if not isinstance(given, int) or isinstance(given, bool) or not least <= given <= most:
        raise _mismatch(name, expected, given)
    return given


def number(
    message: Message,
    name: str,
    least: float = -math.inf,
    most: float = math.inf,
    default: Default | Required = REQUIRED,
) -> float | Default:
    """Return a field that is a finite number within bounds, or the default if the field is missing.

    >>> number({"noise": 1}, "noise", 0, 1)
    1.0
    >>> number({"lr": "fast"}, "lr")
    Traceback (most recent call last):
    adjoint.errors.LabError: lr must be a number, not str 'fast'
    """
    given = message.get(name, default)
    if given is default:
        return _default(name, _a_number(least, most), default)
    return finite(given, name, least, most)


def finite(given: object, name: str, least: float = -math.inf, most: float = math.inf) -> float:
    """Return a value, for example an element of a list, as a finite float within bounds.

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
    raise _mismatch(name, _a_number(least, most), given)


def _a_number(least: float, most: float) -> str:
    return "a number" if (least, most) == (-math.inf, math.inf) else f"a number from {least:g} to {most:g}"


def flag(message: Message, name: str, default: Default | Required = REQUIRED) -> bool | Default:
    """Return a field that is true or false, or the default if the field is missing.

    >>> flag({"on": True}, "on")
    True
    """
    expected = "true or false"
    given = message.get(name, default)
    if given is default:
        return _default(name, expected, default)
    if not isinstance(given, bool):
        raise _mismatch(name, expected, given)
    return given


def text(message: Message, name: str, longest: int, default: Default | Required = REQUIRED) -> str | Default:
    """Return a field that is a text of at most `longest` characters, or the default if the field is missing.

    >>> text({"expression": "a*b"}, "expression", 500)
    'a*b'
    """
    expected = f"a text of at most {longest} characters"
    given = message.get(name, default)
    if given is default:
        return _default(name, expected, default)
    if not isinstance(given, str) or len(given) > longest:
        raise _mismatch(name, expected, given)
    # JSON allows these characters; UTF-8 and files do not.
    if "\0" in given or any("\ud800" <= letter <= "\udfff" for letter in given):
        raise LabError(f"{name} contains NUL or an unpaired surrogate: {describe(given)}; remove it")
    return given


def one_of(message: Message, name: str, known: Iterable[str], default: Default | Required = REQUIRED) -> str | Default:
    """Return a field that is one of the known names, or the default if the field is missing.

    >>> one_of({"loss": "hinge"}, "loss", ["hinge", "mse"])
    'hinge'
    >>> one_of({"loss": "hing"}, "loss", ["hinge", "mse"])
    Traceback (most recent call last):
    adjoint.errors.LabError: unknown loss 'hing' (did you mean 'hinge'?); the known ones: hinge, mse
    """
    known = list(known)
    given = message.get(name, default)
    if given is default:
        return _default(name, f"one of {', '.join(known)}", default)
    if not isinstance(given, str) or given not in known:
        raise LabError(str(unknown_name_error(name, given[:60] if isinstance(given, str) else given, known)))
    return given


def items(message: Message, name: str, most: int, default: Default | Required = REQUIRED) -> list[Any] | Default:
    """Return a field that is a list of at most `most` elements, or the default; validate the elements one by one.

    >>> items({"sizes": [4, 4]}, "sizes", 6)
    [4, 4]
    """
    expected = f"a list of at most {most} elements"
    given = message.get(name, default)
    if given is default:
        return _default(name, expected, default)
    if not isinstance(given, list) or len(given) > most:
        raise _mismatch(name, expected, given)
    return given


def fields(message: Message, name: str, default: Default | Required = REQUIRED) -> dict[str, Any] | Default:
    """Return a field that is an object, or the default; validate its fields in turn.

    >>> number(fields({"numbers": {"a": 2}}, "numbers"), "a")
    2.0
    """
    expected = "an object"
    given = message.get(name, default)
    if given is default:
        return _default(name, expected, default)
    if not isinstance(given, dict):
        raise _mismatch(name, expected, given)
    return given


def _default(name: str, expected: str, default: Default | Required) -> Default:
    if isinstance(default, Required):
        raise LabError(f"{name} is missing; send {expected}")
    return default


def _mismatch(name: str, expected: str, given: object) -> LabError:
    return LabError(f"{name} must be {expected}, not {describe(given)}")
