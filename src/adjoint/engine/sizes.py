"""The size of a Value: NumPy's number of elements, which can be called like PyTorch's method `size`."""

import math
import operator
from typing import overload

from adjoint import errors


class Size(int):
    """The number of elements of an array; `x.size()` is its shape, and `x.size(0)` the size of an axis.

    >>> size = Size.of((2, 3))
    >>> size, size(), size(-1)
    (6, (2, 3), 3)
    """

    _shape: tuple[int, ...]

    @classmethod
    def of(cls, shape: tuple[int, ...]) -> "Size":
        """Return the size of an array of this shape."""
        size = cls(math.prod(shape))
        size._shape = tuple(shape)
        return size

    @overload
    def __call__(self, dim: None = None) -> tuple[int, ...]: ...
    @overload
    def __call__(self, dim: int) -> int: ...
    def __call__(self, dim: int | None = None) -> tuple[int, ...] | int:
        if dim is None:
            return self._shape
        axis = operator.index(dim)
        if not -len(self._shape) <= axis < len(self._shape):
            raise errors.ShapeError(f"size({dim}): an array of shape {self._shape} has {len(self._shape)} axes")
        return self._shape[axis]
