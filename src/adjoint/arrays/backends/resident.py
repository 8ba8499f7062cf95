"""Arrays that a compiled program left on its device."""

from typing import Any

import numpy as np

from adjoint.engine.locks import make_lock
from adjoint.errors import ArrayError

# Held while a thread reads an array on a device that a compiled program may replace, and while a program replaces it.
reading = make_lock()


def to_numpy(array: Any) -> np.ndarray:
    """Return an array on a device as a NumPy array; raise if devices of other processes hold parts of it."""
    if getattr(array, "is_fully_addressable", True) or array.is_fully_replicated:
        return np.asarray(array)
    raise ArrayError(
        f"an array of shape {tuple(array.shape)} is split over the devices of several processes, and one process "
        "cannot read it alone; in every process, call adjoint.distributed.gather(value), which returns the whole array"
    )


class Shared:
    """What a `Resident` holds in place of an array: its part of an array that several Values share."""

    __slots__ = ()

    def on_device(self) -> Any:
        """Return the part as an array of its own, on the device."""
        raise NotImplementedError


class Resident:
    """An array that a compiled program left on its device; its Value fetches it as a NumPy array on first use."""

    __slots__ = ("array",)
    _is_resident = True  # see `arrays/kinds.py`

    def __init__(self, array):
        self.array = array

    @property
    def shape(self):
        return self.array.shape

    @property
    def dtype(self):
        return np.dtype(self.array.dtype)

    def on_device(self) -> Any:
        """Return the array, on the device."""
        return self.array.on_device() if isinstance(self.array, Shared) else self.array

    def fetch(self, value: Any, slot: str) -> Any:
        """Return the array, which the slot of a Value holds instead of this from now on."""
        with reading:
            held = getattr(value, slot)
            if type(held) is Resident:
                held = np.array(to_numpy(held.array))
                setattr(value, slot, held)
            return held
