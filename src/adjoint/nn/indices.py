"""Class labels and embedding indices: integers within a range, checked with an error that names the first wrong one."""

from typing import Any

import numpy as np

from adjoint.arrays.backends import NUMPY, as_base_array, backend_of, check_later
from adjoint.arrays.convert import data_of
from adjoint.engine.mathematics.protocol import Array
from adjoint.errors import ArgumentError, ArrayIndexError
from adjoint.errors.given import describe


def as_indices(x: object, count: int, name: str, of: str, ignored: int | None = None) -> Array:
    """Return integers as an array; raise unless each is from 0 to count - 1, or equal to `ignored`.

    While `jit` traces, the integers are unknown. Arguments are checked before each run of the program. Those that the
    function computes are not checked: negative ones become `count`, an index out of range.

    >>> as_indices([0, 2], 3, "label", "classes")
    array([0, 2])
    """
    if type(x) is np.ndarray and x.dtype.kind == "i" and x.dtype.isnative and x.size and _largest(x) < count:
        return x  # the usual case
    given = as_base_array(data_of(x))
    indices: Any = given if hasattr(given, "dtype") else _from_lists(given)
    m = backend_of(indices)
    if m is NUMPY and not indices.dtype.isnative:
        indices = indices.astype(indices.dtype.newbyteorder("="))  # of another byte order: other libraries refuse it
    dtype = str(indices.dtype)
    if "int" not in dtype or m is None:
        kind = f"an array of {dtype}" if hasattr(given, "dtype") and not _is_text(indices) else describe(given)
        hint = "; convert them with x.astype(int)" if "float" in dtype else ""
        if _is_text(indices):
            hint = "; number them first: names, numbers = numpy.unique(…, return_inverse=True)"
        raise ArgumentError(f"each {name} must be an integer from 0 to {count - 1}, not {kind}{hint}")
    if m.is_traced(indices):

        def require(given) -> None:
            as_indices(given, count, name, of, ignored)

        if check_later(indices, 0, count - 1, require, is_strict=ignored is None):
            return indices
        wide = m.astype(indices, np.int32) if indices.dtype.itemsize < 4 else indices
        is_wrong = wide < 0 if ignored is None else (wide < 0) & (wide != ignored)
        return m.xp.where(is_wrong, count, wide)
    array = np.atleast_1d(m.to_numpy(indices))
    is_wrong = (array < 0) | (array >= count)
    if ignored is not None:
        is_wrong &= array != ignored
    if is_wrong.any():
        place = tuple(int(i) for i in np.argwhere(is_wrong)[0])
        at = f"position {place[0] if len(place) == 1 else place}"
        raise ArrayIndexError(
            f"{name} {int(array[place])} at {at} is out of range: there are {count} {of}, 0 to {count - 1}"
        )
    return indices


def _is_text(x: Any) -> bool:
    return type(x) is np.ndarray and (x.dtype.kind in "US" or (x.size > 0 and isinstance(x.flat[0], str)))


def _largest(x: np.ndarray) -> int:
    """Return the largest of integers as if they were unsigned: negative numbers are the largest."""
    return x.view(f"u{x.itemsize}").max()


def _from_lists(x: object) -> np.ndarray:
    try:
        array = np.asarray(x)
    except ValueError:  # lists of different lengths
        return np.asarray(None)
    return array.astype(np.int64) if array.size == 0 and array.dtype.kind == "f" else array
