"""What an operand is: a Value of a number or of an array, an array, or lists. Loads neither NumPy nor `Tensor`.

Code that serves numbers and arrays asks here first, and loads the code of arrays when it has one: networks, optimizers
and compiled functions of single numbers work where NumPy is not installed.
"""

import sys
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ArrayError
from adjoint.errors.optional import require_numpy

if TYPE_CHECKING:
    import numpy as np
    from typing_extensions import TypeIs

    from adjoint.arrays.tensor import Tensor

LIST_OF_VALUES = "a list of Values is not an array; adjoint.stack([a, b]) makes one, with gradients"


def data_of(x: Any) -> Any:
    """Return the data of a Value; arrays and numbers stay as they are."""
    if not isinstance(x, Value):
        return x
    return x._array if x._is_array else x.data


def device_of(x: Any) -> str:
    """Return the device that holds an array, such as "cpu" or "cuda:0"."""
    device = getattr(data_of(x), "device", "cpu")
    return str(device() if callable(device) else device).lower()


def is_tensor(x: object) -> "TypeIs[Tensor]":
    """Return whether `x` is a Value that holds an array."""
    return isinstance(x, Value) and x._is_array


def is_number_value(x: object) -> bool:
    """Return whether `x` is a Value of one number, also of a subclass, and not an array."""
    return isinstance(x, Value) and not x._is_array


def is_numpy(x: object) -> "TypeIs[np.ndarray | np.generic]":
    """Return whether `x` is an array or a number of NumPy."""
    np: Any = sys.modules.get("numpy")
    return np is not None and isinstance(x, (np.ndarray, np.generic))


def is_numpy_array(x: object) -> "TypeIs[np.ndarray]":
    """Return whether `x` is an array of NumPy, not one of its numbers."""
    np: Any = sys.modules.get("numpy")
    return np is not None and isinstance(x, np.ndarray)


def is_numpy_number(x: object) -> "TypeIs[np.generic]":
    """Return whether `x` is a number of NumPy, such as an element of an array."""
    np: Any = sys.modules.get("numpy")
    return np is not None and isinstance(x, np.generic)


def is_resident(x: object) -> bool:
    """Return whether `x` is an array that a compiled program left on its device."""
    return getattr(type(x), "_is_resident", False)


def is_array_op(x: object) -> bool:
    """Return whether `x` is an operation on whole arrays."""
    return getattr(type(x), "_is_array_op", False)


@cache
def array_code(module: str) -> ModuleType:
    """Return a module of `adjoint.arrays`. It is loaded once: an import statement takes ten times as long at each call.

    >>> array_code("backends").NUMPY.name
    'NumPy'
    """
    require_numpy()
    return import_module(f"adjoint.arrays.{module}")


# --- as operands ---


def as_operand(x: Any) -> Any:
    """Return nested lists as an array; arrays, Values and numbers stay as they are."""
    if not isinstance(x, (list, tuple)):
        return x
    if any(isinstance(item, Value) for item in x):
        raise ArrayError(LIST_OF_VALUES)
    return array_code("convert").from_nested(x)


def as_floats(x: Any, like: object) -> Any:
    """Return lists, integers and booleans as floats of the dtype of `like`, if it has one; all else as it is."""
    data, is_list = data_of(like), isinstance(x, (list, tuple))
    x = as_operand(x)
    if isinstance(x, Value) or not hasattr(x, "dtype") or not hasattr(data, "dtype"):
        return x
    m = array_code("backends").common_backend([x, data], "a constant")
    keep = (m.is_floating(x.dtype) and not is_list) or not m.is_real(x.dtype)  # objects are refused, not converted
    return x if keep or not m.is_floating(data.dtype) else m.astype(x, data.dtype)


# --- dtypes and devices as programs name them ---


def numpy_dtype(dtype: object) -> Any:
    """Return a dtype that NumPy understands: that of PyTorch by its name."""
    text = str(dtype)
    return text.removeprefix("torch.") if text.startswith("torch.") else dtype


def _kind_of_device(device: object) -> str:
    return str(device).partition(":")[0].replace("gpu", "cuda")


def require_device(own: str, device: object, who: str) -> None:
    """Raise unless `device` is None or names the kind of device that an array is on."""
    if device is not None and _kind_of_device(own) != _kind_of_device(device):
        raise ArgumentError(
            f"{who}: the device cannot be {str(device)!r}; this array is on {own!r}, and a Value stays on the device "
            "of its array. Make it from an array there, such as Value(torch_tensor_on_gpu) or Value(jax_array); "
            "adjoint.jit compiles for the devices that JAX finds"
        )
