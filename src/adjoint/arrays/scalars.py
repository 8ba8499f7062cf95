"""The numbers of many scalar Values as one array, and back: an optimizer updates all scalars in a few operations.

While a mode does what single numbers do, and where NumPy is not installed, the array is a `NumberVector`, which
computes with each number by itself. The results have the same bits: operations on elements are rounded once in both,
and sums are added up from first to last in both (`sum_in_order`).
"""

import operator
from collections.abc import Callable, Iterator
from functools import cache, reduce
from typing import TYPE_CHECKING, Any

from adjoint.arrays.kinds import array_code
from adjoint.engine import ops
from adjoint.engine.mathematics import floats
from adjoint.engine.modes import modes
from adjoint.engine.native import twin
from adjoint.engine.value import Value
from adjoint.errors import ArrayError
from adjoint.errors.given import Operand, is_array, is_number, is_traced
from adjoint.errors.optional import installed_numpy

if TYPE_CHECKING:
    import numpy as np

    from adjoint.arrays.backends.numpy import NumPyBackend


@cache
def numpy_backend() -> "NumPyBackend | None":
    """Return the backend of NumPy; None where NumPy is not installed."""
    if not installed_numpy():
        return None

    return array_code("backends").NUMPY


def quietly(function: Callable, *operands: Any) -> Any:
    """Call a function that may meet infinities and NaN, without a warning of NumPy."""
    m = numpy_backend()
    return m.quietly(function, *operands) if m else function(*operands)


def gather(values: list[Value], is_grad: bool = False) -> Any:
    """Return the data or the gradients of scalars as one array. While jit traces, they are arrays without axes."""
    np, is_plain = installed_numpy(), not modes.takeover
    if np and is_plain:
        array = np.empty(len(values))
        if _read_numbers(values, is_grad, array):
            return array
    numbers = [x.data if isinstance(x, Value) else x for x in _numbers_of(values, is_grad)]
    if not is_plain or not np:
        return NumberVector(numbers)

    m = next((m for m in map(array_code("backends").backend_of, numbers) if m), None)
    return m.stack(m.arrays(numbers)) if m else np.array(numbers)


def _numbers_of(values: list[Value], is_grad: bool) -> list[Any]:
    return [value.grad for value in values] if is_grad else [value.data for value in values]


def _read_numbers(values: list[Value], is_grad: bool, array: Any) -> bool:
    """Read data or gradients into an array; return False if they are not all floats."""
    numbers = _numbers_of(values, is_grad)
    are_floats = set(map(type, numbers)) == {float}
    if are_floats:
        array[:] = numbers
    return are_floats


_read_numbers = twin("read_numbers", _read_numbers)


def scatter(array: Any, values: list[Value], is_grad: bool = False) -> None:
    """Assign the numbers of an array to the data or the gradients of scalars."""
    np: Any = installed_numpy()
    is_plain = bool(np) and type(array) is np.ndarray
    if not is_plain:
        _assign_all(values, is_grad, [array[i] for i in range(len(array))])
    elif not _assign_numbers(values, is_grad, np.ascontiguousarray(array, float)):
        _assign_all(values, is_grad, array.tolist())


def _assign_numbers(values: list[Value], is_grad: bool, array: Any) -> bool:
    """Assign an array of floats; return False if the values are not all numbers."""
    _assign_all(values, is_grad, array.tolist())
    return True


_assign_numbers = twin("assign_numbers", _assign_numbers)


def _assign_all(values: list[Value], is_grad: bool, numbers: list) -> None:
    for value, number in zip(values, numbers):
        if is_grad:
            value.grad = number
        else:
            value.data = number
            value._grad_used = False  # the guard of an optimizer warns of a gradient that is used twice


def as_vector(numbers: list[float]) -> Any:
    """Return numbers as an array of NumPy, or as a NumberVector where it is not installed."""
    np = installed_numpy()
    return np.array(numbers, float) if np else NumberVector(numbers)


def mathematics_of(array: Any, who: str) -> Any:
    """Return the functions `sum`, `max`, `minimum`, `maximum`, `sign`, `stack` and `is_traced` for an array."""
    if isinstance(array, NumberVector) or is_traced(array):
        return NumberVector
    return array_code("backends").common_backend([array], who)


def _no_array() -> Exception:
    """Return the error for code that takes a `NumberVector` as an array."""
    takeover = modes.takeover
    return takeover.refuse_arrays() if takeover else ArrayError("this computes with whole arrays, which needs NumPy")


def sum_in_order(numbers: Any) -> float:
    """Return the sum of an array of scalars, added up from first to last: NumPy's own sum adds them up in pairs."""
    if isinstance(numbers, NumberVector):
        return NumberVector.sum(numbers)
    np: Any = installed_numpy()
    return float(0.0 + np.add.accumulate(numbers)[-1]) if len(numbers) else 0.0


def _operator(function: Callable) -> tuple[Callable, Callable]:
    def method(self, other):
        return self._combine(function, other)

    def reflected(self, other):
        return self._combine(lambda x, z: function(z, x), other)

    return method, reflected


def _are_known(x: Any, z: Any) -> bool:
    return isinstance(x, (float, int)) and isinstance(z, (float, int))


def _divide(x: Any, z: Any) -> Any:
    return floats.divide(x, z) if _are_known(x, z) else x / z


def _power(x: Any, z: Any) -> Any:
    if _are_known(x, z):
        return floats.sqrt(x) if z == 0.5 else floats.pow(x, z)  # as NumPy: a power may be off by one bit
    return x**z


class NumberVector(Operand):
    """Numbers that are no array. Update rules and clipping compute with them as with one.

    They are those of a function that `jit` records, or floats where NumPy is not installed.
    """

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
    __truediv__, __rtruediv__ = _operator(_divide)
    __pow__, __rpow__ = _operator(_power)
    __gt__, __lt__ = _operator(operator.gt)
    __ge__, __le__ = _operator(operator.ge)

    def __neg__(self) -> "NumberVector":
        return NumberVector([-x for x in self._numbers])

    def __abs__(self) -> "NumberVector":
        return NumberVector([abs(x) for x in self._numbers])

    def tolist(self) -> list:
        """Return the numbers."""
        return list(self._numbers)

    def __array__(self, *arguments: Any, **options: Any) -> "np.ndarray":
        raise _no_array()

    def __array_ufunc__(self, ufunc: Callable, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a function of NumPy, such as np.sqrt, to each number."""
        if method != "__call__" or options or any(map(is_array, inputs)):
            raise _no_array()
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
        return reduce(operator.add, x._numbers, 0)  # Python's own sum adds floats in another way

    @staticmethod
    def max(x: "NumberVector") -> Any:
        return reduce(ops.maximum, x._numbers)
