"""The numbers of many scalar Values as one array, and back: an optimizer updates all scalars in a few operations.

While `jit` records single numbers, the array is a `NumberVector`, which computes with each number by itself.
"""

import operator
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np

from adjoint.arrays.backends import backend_of, common_backend
from adjoint.engine import native, ops
from adjoint.engine.backward_guards import clear_used_gradient
from adjoint.engine.modes import modes
from adjoint.engine.traced import trace_error
from adjoint.engine.value import Value
from adjoint.errors.given import Operand, is_array, is_number, is_traced


def gather(values: list[Value], is_grad: bool = False) -> Any:
    """Return the data or the gradients of scalars as one array. While jit traces, they are arrays without axes."""
    if native.core and not modes.tracing:
        array = np.empty(len(values))
        if native.core.read_numbers(values, is_grad, array):
            return array
    numbers: list[Any] = [value.grad for value in values] if is_grad else [value.data for value in values]
    if set(map(type, numbers)) == {float} and not modes.tracing:
        return np.array(numbers)
    numbers = [x.data if isinstance(x, Value) else x for x in numbers]
    if modes.tracing:
        return NumberVector(numbers)
    m = next((m for m in map(backend_of, numbers) if m), None)
    return m.stack(m.arrays(numbers)) if m else np.array(numbers)


def scatter(array: Any, values: list[Value], is_grad: bool = False) -> None:
    """Assign the numbers of an array to the data or the gradients of scalars."""
    is_plain = type(array) is np.ndarray
    if is_plain and native.core and native.core.assign_numbers(values, is_grad, np.ascontiguousarray(array, float)):
        return
    numbers = array.tolist() if is_plain else [array[i] for i in range(len(array))]
    for value, number in zip(values, numbers):
        if is_grad:
            value.grad = number
        else:
            value.data = number
            if value._grad_used:
                clear_used_gradient(value)  # the guard of an optimizer warns of a gradient that is used twice


def mathematics_of(array: Any, who: str) -> Any:
    """Return the functions `sum`, `max`, `minimum`, `maximum`, `sign`, `stack` and `is_traced` for an array."""
    return NumberVector if isinstance(array, NumberVector) or is_traced(array) else common_backend([array], who)


def _operator(function: Callable) -> tuple[Callable, Callable]:
    def method(self, other):
        return self._combine(function, other)

    def reflected(self, other):
        return self._combine(lambda x, z: function(z, x), other)

    return method, reflected


class NumberVector(Operand):
    """Numbers of a function that `jit` records. Update rules and clipping compute with them as with an array."""

    def __init__(self, numbers: list):
        self._numbers = numbers

    @property
    def shape(self) -> tuple[int]:
        return (len(self._numbers),)

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._numbers)

    def __getitem__(self, i: int) -> Any:
        return self._numbers[i]

    def _combine(self, function: Callable, other: Any) -> Any:
        if isinstance(other, NumberVector):
            return NumberVector(list(map(function, self._numbers, other._numbers)))
        if is_traced(other) or is_number(other):
            return NumberVector([function(x, other) for x in self._numbers])
        return NotImplemented

    __add__, __radd__ = _operator(operator.add)
    __sub__, __rsub__ = _operator(operator.sub)
    __mul__, __rmul__ = _operator(operator.mul)
    __truediv__, __rtruediv__ = _operator(operator.truediv)
    __pow__, __rpow__ = _operator(operator.pow)
    __gt__, __lt__ = _operator(operator.gt)
    __ge__, __le__ = _operator(operator.ge)

    def __neg__(self) -> "NumberVector":
        return NumberVector([-x for x in self._numbers])

    def __abs__(self) -> "NumberVector":
        return NumberVector([abs(x) for x in self._numbers])

    def __array__(self, *arguments: Any, **options: Any) -> np.ndarray:
        raise trace_error("arrays")

    def __array_ufunc__(self, ufunc: Callable, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a function of NumPy, such as np.sqrt, to each number."""
        if method != "__call__" or options or any(map(is_array, inputs)):
            raise trace_error("arrays")
        return self._apply(ufunc, inputs)

    def _apply(self, function: Callable, operands: tuple) -> "NumberVector":
        """Return the results of a function for each number: `adjoint.sqrt(vector)`."""
        columns = [x if isinstance(x, NumberVector) else [x] * len(self) for x in operands]
        return NumberVector([function(*numbers) for numbers in zip(*columns, strict=True)])

    # --- functions, as a backend has them ---

    is_traced = staticmethod(is_traced)
    sign, maximum, minimum = map(staticmethod, (ops.sign, ops.maximum, ops.minimum))

    @staticmethod
    def stack(numbers: list) -> "NumberVector":
        return NumberVector(numbers)

    @staticmethod
    def sum(x: "NumberVector") -> Any:
        return sum(x._numbers)

    @staticmethod
    def max(x: "NumberVector") -> Any:
        return reduce(ops.maximum, x._numbers)
