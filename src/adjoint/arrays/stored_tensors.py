"""Tensors of files, whose numbers are read when they are needed, and only those that are needed."""

from collections.abc import Callable
from typing import Any

import numpy as np


class StoredTensor:
    """A tensor of a file: `np.asarray(x)` reads it, and `x[index]` reads a part of it, by a slice along each axis.

    >>> numbers = np.arange(6.0).reshape(2, 3)
    >>> x = StoredTensor((2, 3), np.dtype(float), lambda index: numbers[index])
    >>> x[0:1, 1:3], np.asarray(x).shape
    (array([[1., 2.]]), (2, 3))
    """

    is_stored = True  # where NumPy may be missing, and this class too

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype, read: Callable[[tuple[slice, ...]], np.ndarray]):
        self.shape, self.dtype, self._read = shape, dtype, read

    def __getitem__(self, index: tuple[slice, ...]) -> np.ndarray:
        return self._read(index)

    def read(self) -> np.ndarray:
        """Return all numbers."""
        return self._read(())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.read(), dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return f"StoredTensor(shape={self.shape}, dtype={self.dtype})"
