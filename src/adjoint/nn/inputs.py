"""What layers and losses accept as input, and how it becomes an array of the right dtype."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from adjoint.arrays.kinds import array_code, as_operand, is_tensor
from adjoint.engine.mathematics.protocol import Array
from adjoint.engine.value import Value
from adjoint.errors import ArrayError
from adjoint.errors.given import describe, is_number

ArrayLike: TypeAlias = Value | Array | float | Sequence["ArrayLike"]


def as_input(x: ArrayLike, weight: Value) -> Any:
    """Return the input of a layer: nested lists as arrays, and plain arrays in the dtype of the weights."""
    data = as_operand(x)
    if isinstance(data, Value):
        return data
    dtype = getattr(data, "dtype", None)
    if dtype is None and not is_number(data):
        raise ArrayError(f"a layer needs an array, a list of numbers or a Value, not {describe(x)}")
    if dtype is None or not is_tensor(weight) or dtype == weight._data.dtype:
        return data
    m = array_code("backends").backend_of(data)
    if m is None or not m.is_floating(dtype):
        return data  # integers take the dtype of what they are combined with
    return m.astype(data, m.as_dtype(str(weight._data.dtype).split(".")[-1]))  # PyTorch's name is torch.float32
