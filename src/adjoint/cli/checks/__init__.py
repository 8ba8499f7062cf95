"""The functions of arrays that `adjoint check` checks, by subject.

Each file of this package has a table `GROUPS`: for each group, for each name, a function of one array of 3 by 4, as
users call it. The elements of the array are far apart, and lie between -1.7 and 1.9. A new file takes part by itself.
"""

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any


def tables() -> dict[str, dict[str, Callable[..., Any]]]:
    """Return the functions of all files: for each group, for each name, a function of one array."""
    found: dict[str, dict[str, Callable[..., Any]]] = {}
    for module in pkgutil.iter_modules(__path__):
        for group, functions in importlib.import_module(f"{__name__}.{module.name}").GROUPS.items():
            found.setdefault(group, {}).update(functions)
    return found
