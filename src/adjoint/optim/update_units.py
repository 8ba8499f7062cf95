"""The units that an optimizer updates together, with the buffers that belong to them.

Each array parameter is a unit. All scalar parameters form one unit, gathered into one array: an update rule is written
for arrays alone, and a network of a thousand scalars is updated in a few operations.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from adjoint.arrays.apply import make_leaf
from adjoint.arrays.backends import backend_of, common_backend
from adjoint.arrays.tensor import Tensor
from adjoint.engine.mathematics.protocol import Array
from adjoint.engine.value import Value


class UpdateUnit(ABC):
    """Parameters that are updated as one array: their data, their gradient, and the buffers of the optimizer."""

    values: Sequence[Value]

    def __init__(self) -> None:
        self.buffers: dict[str, Tensor] = {}  # Values, which jit keeps on its device between calls
        self.missed = 0  # the number of steps in which it had no gradient

    def add_buffer(self, name: str, start: float) -> None:
        """Add a buffer of the shape of the parameters, unless there is one of that name."""
        if name not in self.buffers:
            p = self.data()
            m = common_backend([p], name)
            self.buffers[name] = make_leaf(m.zeros_like(p) + start if start else m.zeros_like(p))

    @abstractmethod
    def data(self) -> Any:
        """Return the parameters as one array."""

    @abstractmethod
    def gradient(self) -> Any:
        """Return the gradient as one array; None if `backward()` has not computed one."""

    @abstractmethod
    def write(self, p: Array) -> None:
        """Assign new data to the parameters."""

    @abstractmethod
    def write_gradient(self, g: Array) -> None:
        """Assign a new gradient to the parameters."""

    @abstractmethod
    def split(self, array: Any) -> "list[float] | list[np.ndarray]":
        """Return the part of each parameter: a float for a scalar, a new NumPy array for an array."""

    @abstractmethod
    def join(self, parts: Sequence[object]) -> np.ndarray:
        """Return the parts as one array: the inverse of `split`."""


class ArrayParameter(UpdateUnit):
    """One array parameter."""

    def __init__(self, value: Tensor):
        super().__init__()
        self.values, self.value = [value], value

    def data(self) -> Any:
        return self.value.data

    def gradient(self) -> Any:
        if self.value._grad is None:  # `grad` would return zeros
            return None
        grad = self.value.grad
        return grad.data if isinstance(grad, Value) else grad

    def write(self, p: Array) -> None:
        self.value.data = p

    def write_gradient(self, g: Array) -> None:
        self.value.grad = g

    def split(self, array: Any) -> list[np.ndarray]:
        return [np.array(common_backend([array], "optimizer").to_numpy(array))]

    def join(self, parts: Sequence[object]) -> np.ndarray:
        return np.asarray(parts[0])


class ScalarParameters(UpdateUnit):
    """All scalar parameters."""

    def __init__(self, values: Sequence[Value]):
        super().__init__()
        self.values = list(values)

    def data(self) -> Any:
        return _gather([value.data for value in self.values])

    def gradient(self) -> Any:
        return _gather([value.grad for value in self.values])

    def write(self, p: Array) -> None:
        for value, number in zip(self.values, _numbers(p)):
            value.data = number

    def write_gradient(self, g: Array) -> None:
        for value, number in zip(self.values, _numbers(g)):
            value.grad = number

    def split(self, array: Any) -> list[float]:
        return array.tolist()

    def join(self, parts: Sequence[object]) -> np.ndarray:
        return np.array(parts, float)


def _gather(numbers: list) -> Any:
    """Return scalars as one array. While jit traces, they are arrays without axes."""
    if set(map(type, numbers)) == {float}:
        return np.array(numbers)
    numbers = [x.data if isinstance(x, Value) else x for x in numbers]
    m = next((m for m in map(backend_of, numbers) if m), None)
    return m.stack(m.arrays(numbers)) if m else np.array(numbers)


def _numbers(array: Any) -> list:
    return array.tolist() if type(array) is np.ndarray else [array[i] for i in range(len(array))]


def units_of(parameters: Sequence[Value]) -> list[UpdateUnit]:
    """Return the units of some parameters: one for each array, and one for all scalars."""
    units: list[UpdateUnit] = [ArrayParameter(p) for p in parameters if isinstance(p, Tensor)]
    numbers = [p for p in parameters if not isinstance(p, Tensor)]
    return [*units, ScalarParameters(numbers)] if numbers else units
