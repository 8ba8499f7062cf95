"""Arrays that a compiled program left on its device."""

from typing import Any

import numpy as np

from adjoint.engine.locks import make_lock

# Held while a thread reads an array on a device that a compiled program may replace, and while a program replaces it.
reading = make_lock()


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

    def fetch(self, value: Any, slot: str) -> Any:
        """Return the array, which the slot of a Value holds instead of this from now on."""
        with reading:
            held = getattr(value, slot)
            if type(held) is Resident:
                held = np.array(held.array)
                setattr(value, slot, held)
            return held
