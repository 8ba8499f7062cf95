"""Suggest the closest known name for a misspelled one."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number


def nearest(name: object, known: Iterable[str]) -> str | None:
    """Return the known name closest to `name`; None if none is close.

    A name with the same letters in another order comes first: difflib alone finds `tan` closer to `tahn` than `tanh`.

    >>> from adjoint.errors import nearest
    >>> nearest("rellu", ["relu", "tanh"]), nearest("tahn", ["tan", "tanh"])
    ('relu', 'tanh')
    """
    from difflib import get_close_matches  # imported here: only errors need it

    lowered = {k.lower(): k for k in known}
    wanted = str(name).lower()
    near = [k for k in lowered if sorted(k) == sorted(wanted)] or get_close_matches(wanted, lowered, 1, 0.5)
    return lowered[near[0]] if near else None


def unknown_name_error(what: str, name: object, known: Iterable[str], instead: str = "") -> ArgumentError:
    """Return the error for an unknown name; it suggests the closest known one.

    >>> from adjoint.errors import unknown_name_error
    >>> unknown_name_error("activation", "rellu", ["relu", "tanh"])
    ArgumentError("unknown activation 'rellu' (did you mean 'relu'?); the known ones: relu, tanh")
    """
    known = list(known)
    meant = nearest(name, known)
    hint = f" (did you mean {meant!r}?)" if meant else ""
    shown = repr(name) if isinstance(name, str) or is_number(name) else describe(name)
    return ArgumentError(f"unknown {what} {shown}{hint}; the known ones: {', '.join(known)}{instead}")


def refuse_unknown(words: dict[str, Any], function: Callable[..., Any]) -> None:
    """Raise for an argument that a function does not have: say what it is called here, or the nearest name."""
    for word in words:
        from adjoint.compat.names import FIT_ARGUMENTS  # only errors need it

        if word in FIT_ARGUMENTS:
            raise ArgumentError(f"{function.__name__} has no argument {word}; write {FIT_ARGUMENTS[word]}")
        known = [name for name, p in inspect.signature(function).parameters.items() if p.kind is not p.VAR_KEYWORD]
        raise unknown_name_error(f"argument of {function.__name__}", word, known)
