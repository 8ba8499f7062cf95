"""The data sets by name, as `data.load` and the command line select them."""

import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from adjoint import data
from adjoint.errors.public_names import PublicTable
from adjoint.errors.suggest import unknown_name_error

SUFFIXES = (".csv", ".npz")  # of the files that `read` reads
_NAMES = ("xor", "moons", "circles", "blobs", "spirals", "digits", "names")
DATASETS: Mapping[str, Callable[..., object]] = PublicTable("adjoint.data", {name: name for name in _NAMES})


def load(name: str | os.PathLike, **options: Any) -> Any:
    """Return the data set of that name, or the data in a `.csv` or `.npz` file.

    >>> from adjoint import data
    >>> X, y = data.load("moons", n=50, noise=0.2)
    >>> X.shape
    (50, 2)
    >>> data.load("mons")
    Traceback (most recent call last):
    adjoint.errors.ArgumentError: unknown data 'mons' (did you mean 'moons'?); the known ones: xor, moons, circles, \
blobs, spirals, digits, names; or a .csv or .npz file
    """
    is_file = isinstance(name, os.PathLike) or (isinstance(name, str) and Path(name).suffix.lower() in SUFFIXES)
    make = data.read if is_file else DATASETS.get(name) if isinstance(name, str) else None
    if make is None:
        raise unknown_name_error("data", name, [*DATASETS], "; or a .csv or .npz file")
    known = list(inspect.signature(make).parameters)
    for option in options:
        if option not in known:
            raise unknown_name_error(f"option of {make.__name__}", option, known)
    return make(name, **options) if is_file else make(**options)
