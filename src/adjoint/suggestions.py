"""Names that nothing has, and the nearest that something has."""

from collections.abc import Iterable

from adjoint.errors import ArgumentError
from adjoint.floats import described


def unknown(what: str, name: object, known: Iterable[str], instead: str = "") -> ArgumentError:
    """Return the error for a name that nothing has; it suggests the nearest of those that are known.

    >>> unknown("activation", "rellu", ["relu", "tanh"])
    ArgumentError("unknown activation 'rellu' (did you mean 'relu'?); the known ones: relu, tanh")
    """
    from difflib import get_close_matches  # only for those who are mistaken

    known = list(known)
    near = get_close_matches(str(name).lower(), [k.lower() for k in known], 1, 0.5)
    meant = next((k for k in known if near and k.lower() == near[0]), None)
    hint = f" (did you mean {meant!r}?)" if meant else ""
    shown = repr(name) if isinstance(name, str) else described(name)
    return ArgumentError(f"unknown {what} {shown}{hint}; the known ones: {', '.join(known)}{instead}")
