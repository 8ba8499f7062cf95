"""Arrays that a compiled program left on its device."""

import numpy as np


class Resident:
    """An array that a compiled program left on its device; its Value fetches it as a NumPy array on first use."""

    __slots__ = ("array",)

    def __init__(self, array):
        self.array = array

    @property
    def shape(self):
        return self.array.shape

    @property
    def dtype(self):
        return np.dtype(self.array.dtype)

    def resolve(self) -> np.ndarray:
        return np.array(self.array)
