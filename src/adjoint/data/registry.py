"""The data sets by name, as `data.load` and the command line select them."""

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from adjoint.data.digit_images import digits
from adjoint.data.files import SUFFIXES, read
from adjoint.data.text import names
from adjoint.data.toys import blobs, circles, moons, spirals, xor
from adjoint.errors.suggest import unknown_name_error

DATASETS: dict[str, Callable[..., object]] = {
    "xor": xor, "moons": moons, "circles": circles, "blobs": blobs, "spirals": spirals, "digits": digits,
    "names": names,
}  # fmt: skip


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
    make = read if is_file else DATASETS.get(name) if isinstance(name, str) else None
    if make is None:
        raise unknown_name_error("data", name, [*DATASETS], "; or a .csv or .npz file")
    known = list(inspect.signature(make).parameters)
    for option in options:
        if option not in known:
            raise unknown_name_error(f"option of {make.__name__}", option, known)
    return make(name, **options) if is_file else make(**options)
