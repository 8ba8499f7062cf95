"""Labels of classes, indices of words: whole numbers within a range, or an error that names the first that is not."""

from typing import Any

import numpy as np

from adjoint.arrays.backends import backend_of
from adjoint.errors import ArgumentError, ArrayIndexError
from adjoint.errors.given import described


def as_indices(x: Any, count: int, name: str, of: str, ignored: int | None = None) -> Any:
    """Return whole numbers as an array; raise unless each is from 0 to count - 1, or the one that is ignored.

    Under a trace of `jit` numbers are not known, and not checked.

    >>> as_indices([0, 2], 3, "label", "classes")
    array([0, 2])
    """
    if type(x) is np.ndarray and x.dtype.kind == "i" and x.size and x.view(f"u{x.itemsize}").max() < count:
        return x  # the usual; read without a sign, negative numbers are the largest
    if hasattr(x, "_apply"):
        x = x.data
    given = x
    if not hasattr(x, "dtype"):
        try:
            x = np.asarray(x)
        except ValueError:
            x = np.asarray(None)
        if x.size == 0 and x.dtype.kind == "f":
            x = x.astype(np.int64)
    m = backend_of(x)
    if "int" not in str(x.dtype) or m is None:
        kind = x.dtype if hasattr(given, "dtype") else described(given)
        hint = "; x.astype(int) makes them so" if "float" in str(x.dtype) else ""
        raise ArgumentError(f"each {name} is a whole number from 0 to {count - 1}; what was given is {kind}{hint}")
    if m.is_traced(x):
        return x
    array = np.atleast_1d(m.to_numpy(x))
    is_wrong = (array < 0) | (array >= count)
    if ignored is not None:
        is_wrong &= array != ignored
    if is_wrong.any():
        place = tuple(int(i) for i in np.argwhere(is_wrong)[0])
        at = f"position {place[0] if len(place) == 1 else place}"
        raise ArrayIndexError(
            f"{name} {int(array[place])} at {at} does not exist: there are {count} {of}, 0 to {count - 1}"
        )
    return x
