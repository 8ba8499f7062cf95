"""Data sets and batches: small two-dimensional problems, digits, names, and your own files.

    X, y = moons(200, noise=0.1, seed=1)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, seed=1)
    for x, labels in DataLoader(X_train, y_train, batch_size=32, shuffle=True, seed=1):
        …

Inputs are NumPy arrays of floats with one row per sample; classes are integers from 0. This layer uses everything up to
`nn`. Start with `toys.py` for the data sets and `loading.py` for `DataLoader`.
"""

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from adjoint.data.digit_images import digits
from adjoint.data.files import SUFFIXES, read
from adjoint.data.loading import DataLoader, require_finite, train_test_split
from adjoint.data.text import Characters, names
from adjoint.data.toys import blobs, circles, moons, spirals, xor
from adjoint.errors.suggest import unknown_name_error

DATASETS: dict[str, Callable[..., object]] = {
    "xor": xor, "moons": moons, "circles": circles, "blobs": blobs, "spirals": spirals, "digits": digits,
    "names": names,
}  # fmt: skip


def load(name: str | os.PathLike, **options: Any) -> Any:
    """Return the data set of that name, or the data in a `.csv` or `.npz` file.

    >>> X, y = load("moons", n=50, noise=0.2)
    >>> X.shape
    (50, 2)
    >>> load("mons")
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


__all__ = [
    "DATASETS", "Characters", "DataLoader", "blobs", "circles", "digits", "load", "moons", "names", "read",
    "require_finite", "spirals", "train_test_split", "xor",
]  # fmt: skip
