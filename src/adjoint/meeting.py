"""Where numbers meet arrays: the module of arrays is loaded with the first of them, and NumPy with it."""

from typing import Any

from adjoint.floats import is_array


def tensor() -> Any:
    """Return the module of arrays."""
    from adjoint import tensor

    return tensor


def class_for(data) -> Any:
    """Return the class that holds `data` if that is an array or nested lists: Tensor. None for a number."""
    return tensor().Tensor if isinstance(data, (list, tuple)) or is_array(data) else None


def array_ufunc(self, ufunc, method, *inputs, **options) -> Any:
    """Compute `np.exp(value)` and the like."""
    from adjoint.protocols import array_ufunc

    return array_ufunc(ufunc, method, inputs, options)


def array_function(self, function, types, arguments, options) -> Any:
    """Compute `np.sum(value)` and the like."""
    from adjoint.protocols import array_function

    return array_function(function, arguments, options)
