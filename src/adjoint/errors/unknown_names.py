"""The errors for unknown names of the library: what adjoint calls them, or the nearest name. Loaded by errors only."""

import importlib

from adjoint.compat.names import LAYERS, OTHERS, TORCH
from adjoint.errors.suggest import nearest

_ROOMS = ("adjoint", "nn", "nn.functional", "optim", "data", "metrics", "linalg", "special", "stats", "fft")


def unknown_name(package: str, name: str) -> AttributeError:
    """Return the error for an unknown name of a package: it says what adjoint calls it, or the nearest name.

    >>> unknown_name("adjoint", "movedim")
    AttributeError("adjoint has no 'movedim'; write `adjoint.moveaxis`")
    >>> unknown_name("adjoint", "MSELoss")
    AttributeError("adjoint has no 'MSELoss'; write `adjoint.nn.MSELoss`")
    >>> unknown_name("adjoint", "sofmax")
    AttributeError("adjoint has no 'sofmax'; did you mean 'softmax'?")
    """
    tables = (LAYERS, TORCH, OTHERS) if package == "adjoint.nn" else (TORCH, OTHERS)
    ours = next((table[name] for table in tables if name in table), None)
    if not ours:
        for room in (room if room == "adjoint" else f"adjoint.{room}" for room in _ROOMS):
            if room != package and name in _names_in(room):
                ours = f"`{room}.{name}`"
                break
    meant = None if ours else nearest(name, dir(importlib.import_module(package)))
    hint = f"; write {ours}" if ours else f"; did you mean {meant!r}?" if meant else ""
    return AttributeError(f"{package} has no {name!r}{hint}", name=name)


def _names_in(room: str) -> list[str]:
    try:
        return dir(importlib.import_module(room))
    except ModuleNotFoundError:  # it needs NumPy, which is not installed
        return []
