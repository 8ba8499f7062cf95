"""Names that people type: the nearest known one, where a name is not known."""

from collections.abc import Iterable
from difflib import get_close_matches

from adjoint.errors import ArgumentError
from adjoint.floats import described


def unknown(what: str, name: object, known: Iterable[str], otherwise: str = "") -> ArgumentError:
    """Return the error for a name that is not among those known, with the nearest of them.

    >>> raise unknown("optimiser", "adma", ["sgd", "adam"])
    Traceback (most recent call last):
    adjoint.errors.ArgumentError: unknown optimiser 'adma'; did you mean 'adam'? The known ones: sgd, adam
    """
    known = list(known)
    shown = repr(name) if isinstance(name, str) else described(name)
    near = get_close_matches(name.lower(), known, n=1) if isinstance(name, str) else []
    hint = f"; did you mean {near[0]!r}? The" if near else "; the"
    return ArgumentError(
        f"unknown {what} {shown}{hint} known ones: {', '.join([*known, otherwise] if otherwise else known)}"
    )
