"""Checks of indices that are not known while jit traces.

An index that is an argument of the compiled function is checked before each run of the program, with the error of the
eager function. An index that the function computes is not known before the program runs. Then an element that does not
exist is NaN; see `JAXBackend.getitem`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from adjoint.errors import ArrayIndexError
from adjoint.errors.settings import Setting


class DeferredCheck(NamedTuple):
    """Integers from `low` to `high` are right; `require` raises an error for others, unless they have a meaning."""

    low: int
    high: int
    require: Callable[[Any], object]
    is_strict: bool  # whether no others have a meaning

    def implies(self, other: "DeferredCheck") -> bool:
        """Return whether all integers that pass this check pass the other one."""
        return self.is_strict and other.low <= self.low and self.high <= other.high

    def __call__(self, x: "np.ndarray | int") -> None:
        if isinstance(x, int):
            is_inside = self.low <= x <= self.high
        else:
            is_inside = not x.size or (int(x.min()) >= self.low and int(x.max()) <= self.high)
        if not is_inside:
            self.require(x)


# What jit does with the checks of the function that it traces; it returns whether it will make them.
note: Setting[Callable[[object, DeferredCheck], bool] | None] = Setting(None)


def check_later(
    x: object, low: int, high: int, require: Callable[[Any], object], *, is_strict: bool = True
) -> bool:  # fmt: skip
    """Let jit check an index before each run of the program; return False if it will not."""
    noted = note.get()
    return noted is not None and noted(x, DeferredCheck(low, high, require, is_strict))


def check_axis_later(x: object, axis: int, shape: tuple[int, ...]) -> bool:
    """Let jit check the index of an axis before each run of the program; return False if it will not."""
    size = shape[axis]

    def require(x) -> None:
        wrong = next(i for i in np.ravel(x).tolist() if not -size <= i < size)
        raise ArrayIndexError(
            f"index {wrong} is out of bounds for axis {axis} with size {size}; the array has shape {shape}"
        )

    return check_later(x, -size, size - 1, require)


def axes_of(index: tuple, ndim: int) -> list[int | None]:
    """Return the axis that each entry of an index selects from; None for an entry without one, such as None."""
    used = [_axes(entry) for entry in index]
    found, axis = [], 0
    for entry, count in zip(index, used):
        if entry is ...:
            axis += ndim - sum(used)
            found.append(None)
        else:
            found.append(axis if count == 1 else None)
            axis += count
    return found


def _axes(entry) -> int:
    if entry is None or entry is ... or isinstance(entry, bool):
        return 0
    return entry.ndim if "bool" in str(getattr(entry, "dtype", "")) else 1
