"""Selects the backend of an operation from its operands."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from adjoint.arrays.backends.base import Backend
from adjoint.arrays.backends.numpy import NUMPY
from adjoint.errors import ArrayError, LibraryError
from adjoint.errors.given import USE_PAIRS, Operand, describe, is_number, number

_OF_TYPE: dict[type, Backend | None] = {float: None, int: None, bool: None}
for _type in (np.ndarray, np.float16, np.float32, np.float64, np.longdouble):
    _OF_TYPE[_type] = NUMPY
_LOADED: dict[str, Backend] = {"numpy": NUMPY}


def backend_of(x) -> Backend | None:
    """Return the backend of an array; None for a number, which fits every backend."""
    try:
        return _OF_TYPE[type(x)]
    except KeyError:
        found = _OF_TYPE[type(x)] = _find(x)
        return found


def _find(x) -> Backend | None:
    if isinstance(x, (np.ndarray, np.generic)):
        return NUMPY
    for library, backend, kind in (("jax", "JAXBackend", "Array"), ("torch", "TorchBackend", "Tensor")):
        module = sys.modules.get(library)
        if module is not None and isinstance(x, getattr(module, kind, ())):
            return _load(library, partial(_adapter, library, backend))
    if type(x).__module__.split(".")[0] == "cupy":
        return _load("cupy", partial(_adapter, "cupy", "CuPyBackend"))
    if hasattr(x, "__array_namespace__"):
        namespace = x.__array_namespace__()
        return _load(namespace.__name__, lambda: Backend(namespace))
    if is_number(x):
        return None
    raise ArrayError(f"Value needs a number or an array of numbers, not {describe(x)}")


def _adapter(library: str, name: str) -> Backend:
    """Return the backend of a library in use, from the file of this package with the name of the library."""
    return getattr(import_module(f"{__package__}.{library}"), name)(sys.modules[library])


def _load(library: str, make: Callable[[], Backend]) -> Backend:
    if library not in _LOADED:
        _LOADED[library] = make()
    return _LOADED[library]


def as_plain(x: Any) -> Any:
    """Return the data of a Value as a program reads it: a constant, also for a library that differentiates."""
    m = None if type(x) is tuple else backend_of(x)
    return x if m is None or not m.differentiates else m.without_gradient(x)


def common_backend(operands: Sequence, who: str) -> Backend:
    """Return the backend of an operation on `operands`; raise an error if they are of two libraries.

    A plain NumPy array next to JAX arrays is a constant, as everywhere in JAX.
    """
    found = None
    for x in operands:
        backend = backend_of(x[0] if type(x) is tuple else x)
        if backend is not None and backend is not found:
            if found is not None and {found.name, backend.name} == {"NumPy", "JAX"}:
                backend = found if found.name == "JAX" else backend
            elif found is not None:
                raise mixed_libraries_error(who, found, backend)
            found = backend
    return found or NUMPY


def mixed_libraries_error(who: str, first: Backend, second: Backend) -> LibraryError:
    """Return the error for arrays of two libraries in one operation."""
    return LibraryError(
        f"{who}: {first.name} and {second.name} arrays in one operation; convert one of them, for instance with "
        "numpy.asarray(x)"
    )


def as_constant(x, m: Backend, dtype=None, weak: bool = True) -> Any:
    """Return a plain number or array as an operand: floats stay, integers and truth values become floats.

    A Python number takes the dtype of the arrays it meets, and so do integer arrays (`dtype`). If `weak`, a NumPy
    scalar or an array without axes counts as a number.
    """
    if type(x) is float:
        return x
    if is_number(x) and (weak or not hasattr(x, "dtype")):
        return number(x, "an operation")
    if not hasattr(x, "dtype"):
        raise ArrayError(f"an operation needs numbers, arrays or Values, not {describe(x)}")
    require_real(x, m)
    x = as_base_array(x)
    if backend_of(x) is not m:
        x = m.from_numpy(x)  # a plain NumPy array next to JAX arrays
    if m.is_floating(x.dtype):
        return x
    return 1.0 * x if m.is_number(x) else m.astype(x, dtype or m.default_float())


def are_integers(xs: Sequence) -> bool:
    """Return whether some operands, at least one of them an array, are all integers or truth values."""
    arrays = [x for x in xs if hasattr(x, "dtype")]
    return bool(arrays) and all(type(x) in (int, bool) if not hasattr(x, "dtype") else _is_integer(x) for x in xs)


def _is_integer(x) -> bool:
    m = backend_of(x)
    return m is not None and m.is_real(x.dtype) and not m.is_floating(x.dtype)


def as_integers(x, m: Backend) -> Any:
    """Return an array of integers as an operand; a Python number takes the dtype of the arrays that it meets."""
    if not hasattr(x, "dtype"):
        return x
    x = as_base_array(x)
    return x if backend_of(x) is m else m.from_numpy(x)


def as_base_array(x) -> Any:
    """Return an array of a subclass of NumPy's, such as np.matrix, as a plain array: its operators may differ."""
    if type(x) is np.ndarray or not isinstance(x, np.ndarray):
        return x
    require_unmasked(x)
    return np.asarray(x)


def require_unmasked(x) -> None:
    """Raise an error if an array is one of np.ma."""
    if hasattr(x, "mask") and hasattr(x, "filled"):
        raise ArrayError("a masked array would lose its mask; fill it first, for instance with x.filled(0)")


_HINT = "; x.astype(float), if they are numbers"


def require_real(x, m: Backend) -> None:
    """Raise an error if an array cannot be the data of a Value."""
    own = backend_of(x) or m
    require_unmasked(x)
    if getattr(x, "requires_grad", False):
        raise ArrayError("a PyTorch tensor that requires grad belongs to a graph of PyTorch; pass x.detach() instead")
    if own.is_real(x.dtype):
        return
    kind = str(x.dtype)
    if "complex" in kind:
        raise ArrayError(f"complex numbers are not supported ({kind}): {USE_PAIRS}")
    hint = ""
    if kind == "object":
        holds_values = any(isinstance(item, Operand) for item in x.flat)
        hint = "; adjoint.stack([a, b]) makes an array of Values, with gradients" if holds_values else _HINT
    raise ArrayError(f"a Value holds real numbers, not an array of dtype {kind}: {describe(x)}{hint}")
