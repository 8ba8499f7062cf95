"""Warns of a function that is compiled again and again for arguments of the same shapes, and says what changed."""

from collections.abc import Sequence

from adjoint.compile.reachable import Reach
from adjoint.engine.modes import modes
from adjoint.errors import RecompilationWarning
from adjoint.errors.guard_warnings import is_on, warn

_SHAPES = ("array", "value", "number", "scalar", "static", "plain")  # parts of keys that a user expects to matter
_MANY = 3  # compilations for the same shapes


class Compilations:
    """The compilations of a function: how many there were for the same shapes, and the key of the last of them."""

    def __init__(self) -> None:
        self._known: dict[tuple, tuple[int, Sequence, Sequence[str]]] = {}

    def note(self, function: str, reach: Reach) -> None:
        """Count a compilation, and warn if it is the third for the same shapes."""
        shapes = [part for part in reach.key_parts if isinstance(part, tuple) and part[0] in (*_SHAPES, bool)]
        signature = modes.recording, modes.precision, *shapes
        count, parts, paths = self._known.get(signature, (0, (), ()))
        self._known[signature] = count + 1, reach.key_parts, reach.key_paths
        if count + 1 == _MANY and is_on("recompilation"):
            changes = ", and ".join(_changes(parts, paths, reach)[:3])
            warn(
                "recompilation",
                RecompilationWarning,
                f"{function} is compiled for the third time for the same shapes, because {changes}. Each change takes "
                "as long as the first call. A number that the function only computes with can be an argument; what "
                "decides which operations it does should not change often",
            )


def _changes(parts: Sequence, paths: Sequence[str], reach: Reach) -> list[str]:
    """Return what is different from the key of the last compilation."""
    pairs = [
        (a, b, path) for a, b, path, other in zip(parts, reach.key_parts, reach.key_paths, paths)
        if a != b or path != other
    ]  # fmt: skip
    if not pairs:
        longer = reach.key_paths if len(reach.key_paths) > len(paths) else paths
        return [f"{longer[min(len(paths), len(reach.key_paths))]} changed"]
    if len(parts) != len(reach.key_parts):  # objects were added or removed: the rest does not correspond
        pairs = pairs[:1]
    return list(dict.fromkeys(_describe(before, now, path) for before, now, path in pairs))


def _describe(before: object, now: object, path: str) -> str:
    shown = [_shown(part) for part in (before, now)]
    return f"{path} changed from {shown[0]} to {shown[1]}" if all(shown) else f"{path} changed"


def _shown(part: object) -> str:
    """Return a plain value of a key; nothing for other parts."""
    if not isinstance(part, tuple) or len(part) != 2 or part[0] not in (float, int, str):
        return ""
    return repr(float.fromhex(part[1]) if part[0] is float else part[1])
