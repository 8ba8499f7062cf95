"""The numbers of many scalar Values as one array, and back: an optimizer updates all scalars in a few operations."""

from typing import Any

import numpy as np

from adjoint.arrays.backends import backend_of
from adjoint.engine import native
from adjoint.engine.value import Value


def gather(values: list[Value], is_grad: bool = False) -> Any:
    """Return the data or the gradients of scalars as one array. While jit traces, they are arrays without axes."""
    if native.core:
        array = np.empty(len(values))
        if native.core.read_numbers(values, is_grad, array):
            return array
    numbers: list[Any] = [value.grad for value in values] if is_grad else [value.data for value in values]
    if set(map(type, numbers)) == {float}:
        return np.array(numbers)
    numbers = [x.data if isinstance(x, Value) else x for x in numbers]
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
