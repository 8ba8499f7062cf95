"""Lots: the parameters that are updated together, with the buffers that belong to them.

An array is a lot of its own. Numbers are gathered into one array, so that a rule is written for arrays alone, and a
network of a thousand numbers is updated in a few operations.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from adjoint.arrays.apply import make_leaf
from adjoint.arrays.backends import backend_of
from adjoint.arrays.tensor import Tensor
from adjoint.engine.value import Value


class Lot(ABC):
    """One array to update: its values, its gradient, and what an optimiser remembers of it."""

    values: list[Any]

    def __init__(self) -> None:
        self.buffers: dict[str, Tensor] = {}  # as Values, which jit keeps on its device between calls
        self.missed = 0  # steps of the optimiser in which it had no gradient

    def add_buffer(self, name: str, start: float) -> None:
        """Keep an array of this name beside the parameters, unless there is one."""
        if name not in self.buffers:
            p = self.data()
            m: Any = backend_of(p)
            self.buffers[name] = make_leaf(m.zeros_like(p) + start if start else m.zeros_like(p))

    @abstractmethod
    def data(self) -> Any:
        """Return the numbers as one array."""

    @abstractmethod
    def gradient(self) -> Any:
        """Return the gradient as one array; None if `backward()` has not reached it."""

    @abstractmethod
    def write(self, p) -> None:
        """Give the parameters their new numbers."""

    @abstractmethod
    def write_gradient(self, g) -> None:
        """Give the parameters another gradient."""

    @abstractmethod
    def split(self, array) -> list[Any]:
        """Return the part of each parameter: a float for a number, else a NumPy array of its own."""

    @abstractmethod
    def join(self, parts: Sequence[Any]) -> np.ndarray:
        """Return the array of these parts."""


class ArrayLot(Lot):
    """A parameter that is an array."""

    def __init__(self, value: Tensor):
        super().__init__()
        self.values = [value]

    def data(self) -> Any:
        return self.values[0].data

    def gradient(self) -> Any:
        value = self.values[0]
        if value._grad is None:  # where `grad` would make zeros
            return None
        grad = value.grad
        return grad.data if isinstance(grad, Value) else grad

    def write(self, p) -> None:
        self.values[0].data = p

    def write_gradient(self, g) -> None:
        self.values[0].grad = g

    def split(self, array) -> list[Any]:
        m: Any = backend_of(array)
        return [np.array(m.to_numpy(array))]

    def join(self, parts: Sequence[Any]) -> np.ndarray:
        return np.asarray(parts[0])


class NumberLot(Lot):
    """Parameters that are numbers."""

    def __init__(self, values: Sequence[Value]):
        super().__init__()
        self.values = list(values)

    def data(self) -> Any:
        return _gathered([value.data for value in self.values])

    def gradient(self) -> Any:
        return _gathered([value.grad for value in self.values])

    def write(self, p) -> None:
        for value, number in zip(self.values, _numbers(p)):
            value.data = number

    def write_gradient(self, g) -> None:
        for value, number in zip(self.values, _numbers(g)):
            value.grad = number

    def split(self, array) -> list[Any]:
        return array.tolist()

    def join(self, parts: Sequence[Any]) -> np.ndarray:
        return np.array(parts, float)


def _gathered(numbers: list) -> Any:
    """Return numbers as one array; while jit traces, they are arrays without axes."""
    if set(map(type, numbers)) == {float}:
        return np.array(numbers)
    numbers = [x.data if isinstance(x, Value) else x for x in numbers]
    m = next((m for m in map(backend_of, numbers) if m), None)
    return m.stack(m.arrays(numbers)) if m else np.array(numbers)


def _numbers(array) -> list:
    return array.tolist() if type(array) is np.ndarray else [array[i] for i in range(len(array))]


def lots_of(parameters: Sequence[Value]) -> list[Lot]:
    """Return how parameters are updated: arrays each by itself, all numbers together."""
    lots: list[Lot] = [ArrayLot(p) for p in parameters if isinstance(p, Tensor)]
    numbers = [p for p in parameters if not isinstance(p, Tensor)]
    return [*lots, NumberLot(numbers)] if numbers else lots
