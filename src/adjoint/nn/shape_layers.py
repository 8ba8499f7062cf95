"""The layers that change shapes, `Flatten` and `Unflatten`, as in `torch.nn`."""

import math
from collections.abc import Sequence

from adjoint.arrays.axes import one_axis, shape_of
from adjoint.arrays.convert import as_operand
from adjoint.arrays.functions import arranging, shaping
from adjoint.engine.value import Value
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.module import Module


class Flatten(Module):
    """Merges the axes from `start_dim` to `end_dim` into one; the defaults keep the batch axis and merge the others.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.Flatten()(np.zeros((2, 3, 4))).shape
    (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: "ArrayLike") -> Value:
        given = as_operand(x)
        shape = shape_of(given)
        start = one_axis(self.start_dim, len(shape), "Flatten")
        end = one_axis(self.end_dim, len(shape), "Flatten") + 1
        return shaping.reshape(given, (*shape[:start], math.prod(shape[start:end]), *shape[end:]))


class Unflatten(Module):
    """Replaces one axis by several: the inverse of `Flatten`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.Unflatten(1, (3, 4))(np.zeros((2, 12))).shape
    (2, 3, 4)
    """

    def __init__(self, dim: int, unflattened_size: Sequence[int]):
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, x: "ArrayLike") -> Value:
        return arranging.unflatten(as_operand(x), self.dim, self.unflattened_size)
