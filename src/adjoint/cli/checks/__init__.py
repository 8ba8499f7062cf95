"""The functions of arrays that `adjoint check` checks, by subject.

Each file of this package has a table `GROUPS`: for each group, for each name, a function of one array of 3 by 4, as
users call it. The elements of the array are far apart, and lie between -1.7 and 1.9. A new file is included
automatically.
"""

import importlib
import pkgutil
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

import adjoint
from adjoint import Tensor

Groups: TypeAlias = dict[str, dict[str, Callable[..., object]]]


def tables() -> Groups:
    """Return the functions of all files: for each group, for each name, a function of one array."""
    found: Groups = {}
    for module in pkgutil.iter_modules(__path__):
        for group, functions in importlib.import_module(f"{__name__}.{module.name}").GROUPS.items():
            found.setdefault(group, {}).update(functions)
    return found


def positive(x: Tensor) -> Tensor:
    """Return positive numbers computed from any numbers."""
    return x * x + 0.3


def positive_definite(x: Tensor) -> Tensor:
    """Return a positive definite matrix computed from any matrix of three rows."""
    return adjoint.matmul(x, x.T) + 3.0 * np.eye(3)
