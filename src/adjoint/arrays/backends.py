"""NumPy, JAX, PyTorch and CuPy arrays: how each is recognised, and the few functions that the standard lacks.

A backend is the `m` of a rule that is read with arrays: its attributes are the functions of the library's
array API namespace, and those below where the standard has none or the library's own is slow. Which backend
serves an operation is decided by the arrays that come in.
"""

import contextvars
import math
import os
import sys
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from adjoint.engine import native
from adjoint.errors import ArrayError, LibraryError
from adjoint.errors.given import described, is_number, number


def total(*terms):
    """Return the sum of those terms that are not None; None if there are none."""
    found = None
    for term in terms:
        if term is not None:
            found = term if found is None else found + term
    return found


class Backend:
    """An array library that follows the Python array API standard."""

    name = "array"

    def __init__(self, namespace):
        self.xp = namespace

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.xp, name)
        setattr(self, name, found)
        return found

    def quietly(self, function: Callable, *operands, **static):
        """Call a function that may meet infinities and NaN, without a warning."""
        return function(*operands, **static)

    def array(self, x, dtype=None):
        """Return a fresh array of `x`, which the engine may keep."""
        return self.xp.asarray(x, dtype=dtype, copy=True)

    def is_floating(self, dtype) -> bool:
        return self.xp.isdtype(dtype, "real floating")

    def is_real(self, dtype) -> bool:
        return self.xp.isdtype(dtype, ("bool", "integral", "real floating"))

    def default_float(self):
        return self.xp.float64

    def astype(self, x, dtype):
        return self.xp.astype(x, dtype)

    def to_numpy(self, x) -> np.ndarray:
        return np.asarray(x)

    def from_numpy(self, x: np.ndarray):
        return self.xp.asarray(x)

    def select(self, condition, x, z, like):
        """Return `where(condition, x, z)` for two plain numbers, in the dtype of `like`."""
        if isinstance(condition, bool):
            return x if condition else z
        x, z = (self.xp.asarray(number, dtype=like.dtype) for number in (x, z))
        return self.xp.where(condition, x, z)

    def where(self, condition, x, z):
        if isinstance(condition, bool):
            return x if condition else z
        return self.xp.where(condition, x, z)

    def equal(self, x, z):
        return x == z

    def less(self, x, z):
        return x < z

    def broadcast_to(self, x, shape):
        return self.xp.broadcast_to(self.xp.asarray(x), shape)

    def erf(self, x) -> Any:
        return self.from_numpy(np.asarray(NUMPY.erf(self.to_numpy(x))))

    def einsum(self, subscripts: str, *operands):
        return self.xp.einsum(subscripts, *operands)

    def exp_of_own(self, x):
        """Return exp(x), in the memory of `x` where that can be."""
        return self.xp.exp(x)

    def is_traced(self, x) -> bool:
        """Return whether the numbers of an array are not known yet."""
        return False

    def optimization_barrier(self, arrays: list) -> list:
        """Return the arrays such that a compiler does not merge later operations on them with earlier ones."""
        return arrays

    def getitem(self, x, index):
        return x[index]

    def rows_in_memory(self, x):
        """Return a matrix that is about to be multiplied from the left, in the layout that is fastest for it."""
        return x

    def as_condition(self, condition):
        """Return a mask, which may be a NumPy array, as one of this library."""
        return condition if backend_of(condition) is self else self.from_numpy(np.asarray(condition))

    def as_dtype(self, dtype):
        """Return a dtype given by its name, or as Python's float, as the library has it."""
        name = "float64" if dtype is float else getattr(dtype, "name", dtype)
        found = getattr(self.xp, name, None) if isinstance(name, str) else dtype
        if found is None:
            raise ArrayError(f"a dtype is float32 or float64, not {described(dtype)}")
        return found

    def memory_of(self, x) -> Any:
        """Return an object that stands for the memory of an array: the same for all views of it."""
        return x

    def scatter_add(self, x, index, values) -> Any:
        """Return `x` with `values` added at `index`; where an index occurs twice, both are added."""
        raise LibraryError(f"{self.name} arrays cannot be indexed with gradients")

    def scatter_set(self, x, index, values) -> Any:
        """Return `x` with `values` at `index`."""
        raise LibraryError(f"{self.name} arrays cannot be updated with .at")

    def is_writeable_alone(self, x) -> bool:
        """Return whether changing `x` in place could reach no other array."""
        return False

    total = staticmethod(total)

    def pad(self, x, width, value: float):
        """Return `x` within a margin of `value`."""
        shape = tuple(before + size + after for (before, after), size in zip(width, x.shape))
        margin = self.xp.full(shape, value, dtype=x.dtype)
        inside = tuple(slice(before, before + size) for (before, _), size in zip(width, x.shape))
        return self.scatter_set(margin, inside, x)

    def zeros(self, shape, like):
        return self.xp.zeros(shape, dtype=like.dtype)

    def eye(self, n: int, like):
        return self.xp.eye(n, dtype=like.dtype)

    def arange(self, n: int, like):
        return self.xp.arange(n)

    def upper_triangle(self, n: int, k: int, like):
        """Return a mask of n by n that holds on and above diagonal `k`."""
        i = self.arange(n, like)
        return i[None, :] - i[:, None] >= k

    def triangle(self, x, k: int, upper: bool):
        """Return a mask of the upper, or lower, triangle of the last two axes of `x`."""
        rows, columns = self.arange(x.shape[-2], x), self.arange(x.shape[-1], x)
        distance = columns[None, :] - rows[:, None]
        mask = distance >= k if upper else distance <= k
        return self.xp.broadcast_to(mask, x.shape)

    def argsort(self, x, axis: int, descending: bool):
        return self.xp.argsort(x, axis=axis, descending=descending)

    def arrays(self, xs: Sequence) -> list:
        """Return arrays and numbers as arrays, all of one dtype."""
        dtypes = [x.dtype for x in xs if hasattr(x, "dtype")]
        dtype = self.xp.result_type(*dtypes) if dtypes else self.default_float()
        return [self.xp.asarray(x, dtype=dtype) for x in xs]


# --- NumPy ---------------------------------------------------------------------------------------


class _Quiet(threading.local):
    """For each thread, a context in which NumPy keeps silent about infinities and NaN.

    Calling into a context costs a tenth of entering `np.errstate`, and NumPy's settings are part of it.
    """

    def __init__(self):
        context = contextvars.copy_context()
        context.run(np.seterr, all="ignore")
        self.run = context.run


quiet: Any = _Quiet()
# Whether malloc keeps freed memory for the next arrays; ADJOINT_KEEP_MEMORY=0 leaves its settings alone.
keeps_memory: bool = bool(native.core) and os.environ.get("ADJOINT_KEEP_MEMORY") != "0" and native.core.keep_memory()


@lru_cache(maxsize=64)
def _ones(count: int, dtype: str) -> np.ndarray:
    return np.ones(count, dtype)


class NumPyBackend(Backend):
    name = "NumPy"

    def quietly(self, function, *operands, **static):
        with np.errstate(all="ignore"):
            return function(*operands, **static)

    def array(self, x, dtype=None):
        return np.array(x, dtype=dtype)

    def is_floating(self, dtype):
        return dtype.kind == "f"

    def is_real(self, dtype):
        return dtype.kind in "fiub"

    def astype(self, x, dtype):
        return x.astype(dtype, copy=False)

    def where(self, condition, x, z):
        if native.core and type(condition) is np.ndarray:
            arrays = [choice for choice in (x, z) if type(choice) is not float]
            if arrays and all(type(a) is np.ndarray and a.shape == condition.shape for a in arrays):
                chosen = np.empty(condition.shape, arrays[0].dtype)
                if native.core.select(condition, x, z, chosen):  # else it is not contiguous, or of two dtypes
                    return chosen
        chosen = np.where(condition, x, z)
        return chosen if chosen.ndim else chosen[()]  # a number, as other operations of NumPy give

    def select(self, condition, x, z, like):
        if isinstance(condition, (bool, np.bool_)):
            return like.dtype.type(x if condition else z)
        chosen = np.empty(condition.shape, like.dtype)
        chosen[...] = z
        chosen[condition] = x
        return chosen

    def sum(self, x, axis=None, keepdims=False):
        if axis == (0,) and not keepdims and x.ndim == 2 and x.dtype.char in "fd":
            return _ones(len(x), x.dtype.char).dot(x)  # the gradient of a bias: a product is several times faster
        return np.add.reduce(x, axis, None, None, keepdims)  # pyright: ignore[reportCallIssue, reportArgumentType]

    def mean(self, x, axis=None, keepdims=False):
        total = np.add.reduce(x, axis=axis, keepdims=keepdims)
        return total / (x.size // total.size) if total.size and x.size else total / 0.0

    def memory_of(self, x):
        while type(x) is np.ndarray and x.base is not None:
            x = x.base
        return x

    def exp_of_own(self, x):
        return np.exp(x, out=x) if type(x) is np.ndarray else np.exp(x)

    def prod(self, x, axis=None, keepdims=False):
        return np.multiply.reduce(x, axis=axis, keepdims=keepdims)

    def max(self, x, axis=None, keepdims=False):
        return np.maximum.reduce(x, axis=axis, keepdims=keepdims)

    def min(self, x, axis=None, keepdims=False):
        return np.minimum.reduce(x, axis=axis, keepdims=keepdims)

    def reshape(self, x, shape):
        return x.reshape(shape)

    def permute_dims(self, x, axes):
        return x.transpose(axes)

    def matrix_transpose(self, x):
        return x.T if x.ndim == 2 else x.swapaxes(-1, -2)

    def matmul(self, x, z):
        return x.dot(z) if x.ndim == 2 == z.ndim else np.matmul(x, z)

    def broadcast_to(self, x, shape):
        x = np.asarray(x)  # what np.broadcast_to does, several times faster
        old = x.shape
        if not old:
            strides = (0,) * len(shape)
        elif x.size and x.flags.c_contiguous:
            missing = len(shape) - len(old)
            strides = (0,) * missing + tuple([s if a != 1 else 0 for a, s in zip(old, x.strides)])
        else:
            return np.broadcast_to(x, shape)
        view = np.ndarray(shape, x.dtype, x, 0, strides)
        view.flags.writeable = False
        return view

    def zeros_like(self, x):
        return np.zeros(x.shape, x.dtype)

    def erf(self, x):
        if isinstance(x, float):
            return math.erf(x)
        whole = np.asarray(x, dtype=np.float64, order="C")
        found = np.empty(whole.shape)
        if native.core:
            native.core.erf(whole, found)
        else:
            found.ravel()[:] = [math.erf(number) for number in whole.ravel().tolist()]
        return found.astype(x.dtype, copy=False) if found.ndim else x.dtype.type(found)

    def argsort(self, x, axis, descending):
        if descending:  # stable: equal elements stay in their order
            flipped = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
            return x.shape[axis] - 1 - flipped
        return np.argsort(x, axis=axis, kind="stable")

    def einsum(self, subscripts, *operands):
        return np.einsum(subscripts, *operands, optimize=len(operands) > 1)

    def scatter_add(self, x, index, values):
        total, values = np.array(x), np.asarray(values)
        rows = _rows(index)
        if rows is not None and values.ndim > 1:
            _add_rows(total, rows, values)
        elif _is_basic(index):
            total[index] += values
        else:
            # in full shape: NumPy 2.4 adds values that it has to broadcast along the index but once
            np.add.at(total, index, np.broadcast_to(values, total[index].shape))
        return total

    def scatter_set(self, x, index, values):
        changed = np.array(x)
        changed[index] = values
        return changed

    def is_writeable_alone(self, x):
        return type(x) is not np.ndarray or (x.base is None and x.flags.writeable)


def _is_basic(index) -> bool:
    """Return whether an index is made of integers, slices, None and ... alone, so that nothing occurs twice."""
    return all(isinstance(i, (int, np.integer, slice, type(None), type(Ellipsis))) for i in _each(index))


def _each(index) -> tuple:
    return index if isinstance(index, tuple) else (index,)


def _on_host(entry):
    """Return an entry of an index with arrays of any library as NumPy's."""
    return np.asarray(entry) if hasattr(entry, "dtype") else entry


def _goes_back(entry) -> bool:
    return isinstance(entry, slice) and entry.step is not None and entry.step < 0


def _rows(index) -> np.ndarray | None:
    """Return the integer array of an index that is nothing else: the one of an embedding."""
    (*rest, last) = _each(index) or ((), None)
    is_integers = not rest and isinstance(last, np.ndarray) and last.dtype.kind in "iu"
    return last if is_integers else None


def _add_rows(total: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
    """Add each of `values` to its row of `total`: sorted, so that each row is added to once."""
    flat = rows.ravel()
    if not flat.size or not total.size:
        return
    values = np.broadcast_to(values, rows.shape + total.shape[1:]).reshape(flat.size, *total.shape[1:])
    flat = np.where(flat < 0, flat + len(total), flat)
    order = flat.argsort(kind="stable")
    flat = flat[order]
    starts = np.concatenate(([0], np.flatnonzero(np.diff(flat)) + 1))
    total[flat[starts]] += np.add.reduceat(values[order], starts, axis=0)


NUMPY = NumPyBackend(np)


# --- JAX, PyTorch, CuPy -----------------------------------------------------------------------------


class JAXBackend(Backend):
    name = "JAX"

    def __init__(self, jax):
        super().__init__(jax.numpy)
        self.jax = jax

    def default_float(self):
        return self.xp.result_type(float)

    def astype(self, x, dtype):
        return x.astype(dtype)

    def array(self, x, dtype=None):
        return self.xp.asarray(x, dtype=dtype)  # they cannot be changed: there is nothing to protect

    def erf(self, x):
        return self.jax.scipy.special.erf(x)

    def rows_in_memory(self, x):
        # on CPUs XLA's fast product takes rows; one that it folds a transposition into is slower
        if self.is_traced(x) and self.jax.default_backend() == "cpu":
            return self.jax.lax.optimization_barrier(x)
        return x

    def as_condition(self, condition):
        return condition

    def getitem(self, x, index):
        self._require_within(x, index)
        return x[index]

    def scatter_add(self, x, index, values):
        self._require_within(x, index)
        return x.at[index].add(values)

    def scatter_set(self, x, index, values):
        self._require_within(x, index)
        return x.at[index].set(values)

    def is_traced(self, x):
        return isinstance(x, self.jax.core.Tracer)

    def optimization_barrier(self, arrays):
        return self.jax.lax.optimization_barrier(arrays)

    def _require_within(self, x, index) -> None:
        """Raise where NumPy would: JAX takes the nearest element in the place of one that does not exist."""
        if not any(self.is_traced(entry) for entry in _each(index)):
            np.broadcast_to(np.zeros(()), x.shape)[tuple(_on_host(entry) for entry in _each(index))]

    def is_writeable_alone(self, x):
        return True


class TorchBackend(Backend):
    name = "PyTorch"

    def __init__(self, torch):
        from array_api_compat import torch as namespace

        super().__init__(namespace)
        self.torch = torch

    def array(self, x, dtype=None):
        if isinstance(x, self.torch.Tensor):
            return x.detach().clone() if dtype is None else x.detach().clone().to(dtype)
        return self.torch.tensor(x, dtype=dtype)

    def to_numpy(self, x):
        return x.detach().cpu().numpy()

    def _tensors(self, *operands):
        """Return numbers as tensors like the others, for the functions that take nothing else."""
        like = next(x for x in operands if isinstance(x, self.torch.Tensor))
        return [
            x if isinstance(x, self.torch.Tensor) else self.torch.tensor(x, dtype=like.dtype, device=like.device)
            for x in operands
        ]

    def expm1(self, x):
        return self.torch.expm1(x) if isinstance(x, self.torch.Tensor) else math.expm1(x)

    def maximum(self, x, z):
        return self.torch.maximum(*self._tensors(x, z))

    def minimum(self, x, z):
        return self.torch.minimum(*self._tensors(x, z))

    def atan2(self, x, z):
        return self.torch.atan2(*self._tensors(x, z))

    def pow(self, x, z):
        return self.torch.pow(x, z)

    def erf(self, x):
        return self.torch.erf(x) if isinstance(x, self.torch.Tensor) else math.erf(x)

    def einsum(self, subscripts, *operands):
        return self.torch.einsum(subscripts, *operands)

    def argsort(self, x, axis, descending):
        return self.torch.argsort(x, dim=axis, descending=descending, stable=True)

    def arange(self, n, like):
        return self.torch.arange(n, device=like.device)

    def zeros(self, shape, like):
        return self.torch.zeros(shape, dtype=like.dtype, device=like.device)

    def eye(self, n, like):
        return self.torch.eye(n, dtype=like.dtype, device=like.device)

    def select(self, condition, x, z, like):
        if isinstance(condition, bool):
            return x if condition else z
        return self.torch.where(condition, *self._tensors(x, z, like)[:2])

    def where(self, condition, x, z):
        if isinstance(condition, bool):
            return x if condition else z
        if not isinstance(x, self.torch.Tensor) and not isinstance(z, self.torch.Tensor):
            x, z = (
                self.torch.tensor(x, dtype=self.torch.float64),
                float(z),
            )  # no precision lost, whatever follows
        return self.torch.where(condition, x, z)

    def getitem(self, x, index):
        if any(isinstance(entry, np.ndarray) or _goes_back(entry) for entry in _each(index)):
            return x.reshape(-1)[self._positions(x, index)]
        return x[index]

    def _positions(self, x, index):
        """Return which elements an index names, in an array laid out in one row."""
        everything = np.arange(math.prod(x.shape)).reshape(tuple(x.shape))
        named = everything[tuple(_on_host(entry) for entry in _each(index))]
        return self.torch.as_tensor(np.array(named), device=x.device)

    def scatter_add(self, x, index, values):
        positions = self._positions(x, index)
        values = self.torch.as_tensor(values, dtype=x.dtype, device=x.device).broadcast_to(positions.shape)
        return x.reshape(-1).index_add(0, positions.reshape(-1), values.reshape(-1)).reshape(x.shape)

    def scatter_set(self, x, index, values):
        positions = self._positions(x, index)
        values = self.torch.as_tensor(values, dtype=x.dtype, device=x.device).broadcast_to(positions.shape)
        changed = x.reshape(-1).clone()
        changed[positions.reshape(-1)] = values.reshape(-1)
        return changed.reshape(x.shape)


class CuPyBackend(Backend):
    name = "CuPy"

    def __init__(self, cupy):
        from array_api_compat import cupy as namespace  # pyright: ignore[reportMissingImports]

        super().__init__(namespace)
        self.cupy = cupy

    def to_numpy(self, x):
        return x.get()

    def erf(self, x):
        from cupyx.scipy.special import erf  # pyright: ignore[reportMissingImports]

        return erf(x)

    def scatter_add(self, x, index, values):
        total = x.copy()
        self.cupy.add.at(total, index, values)
        return total

    def scatter_set(self, x, index, values):
        changed = x.copy()
        changed[index] = values
        return changed


class Resident:
    """An array that a compiled program left on its device; the NumPy Value that holds it fetches it when asked."""

    __slots__ = ("array",)

    def __init__(self, array):
        self.array = array

    @property
    def shape(self):
        return self.array.shape

    @property
    def dtype(self):
        return np.dtype(self.array.dtype)

    def resolve(self) -> np.ndarray:
        return np.array(self.array)


# --- which one ----------------------------------------------------------------------------------------

_OF_TYPE: dict[type, Backend | None] = {float: None, int: None, bool: None}
for _type in (np.ndarray, np.float16, np.float32, np.float64, np.longdouble):
    _OF_TYPE[_type] = NUMPY
_LOADED: dict[str, Backend] = {"numpy": NUMPY}


def backend_of(x) -> Backend | None:
    """Return the backend of an array; None for a number, which goes with all of them."""
    try:
        return _OF_TYPE[type(x)]
    except KeyError:
        found = _OF_TYPE[type(x)] = _find(x)
        return found


def _find(x) -> Backend | None:
    if isinstance(x, (np.ndarray, np.generic)):
        return NUMPY
    for library, make, kind in (("jax", JAXBackend, "Array"), ("torch", TorchBackend, "Tensor")):
        module = sys.modules.get(library)
        if module is not None and isinstance(x, getattr(module, kind, ())):
            return _load(library, lambda make=make, module=module: make(module))
    if type(x).__module__.split(".")[0] == "cupy":
        return _load("cupy", lambda: CuPyBackend(sys.modules["cupy"]))
    if hasattr(x, "__array_namespace__"):
        namespace = x.__array_namespace__()
        return _load(namespace.__name__, lambda: Backend(namespace))
    if is_number(x):
        return None
    raise ArrayError(f"Value needs a number or an array of numbers, not {described(x)}")


def _load(library: str, make: Callable[[], Backend]) -> Backend:
    if library not in _LOADED:
        _LOADED[library] = make()
    return _LOADED[library]


def common_backend(operands: Sequence, who: str) -> Backend:
    """Return the backend of an operation on `operands`, or say that they do not belong together.

    A plain NumPy array beside arrays of JAX is a constant, as everywhere in JAX.
    """
    found = None
    for x in operands:
        backend = backend_of(x[0] if type(x) is tuple else x)
        if backend is not None and backend is not found:
            if found is not None and {found.name, backend.name} == {"NumPy", "JAX"}:
                backend = found if found.name == "JAX" else backend
            elif found is not None:
                raise mixed(who, found, backend)
            found = backend
    return found or NUMPY


def mixed(who: str, first: Backend, second: Backend) -> LibraryError:
    """Return the error for arrays of two libraries in one operation."""
    return LibraryError(
        f"{who}: {first.name} and {second.name} arrays in one operation; convert one of them, for instance with "
        "numpy.asarray(x)"
    )


def as_constant(x, m: Backend, dtype=None, weak: bool = True) -> Any:
    """Return a plain number or array as an operand: floats stay, integers and truth values become floats.

    A number has no dtype of its own: it takes that of the arrays it meets, and so do integers (`dtype`). If `weak`, a
    number of NumPy or an array without axes counts as a number.
    """
    if type(x) is float:
        return x
    if is_number(x) and (weak or not hasattr(x, "dtype")):
        return number(x, "an operation")
    if not hasattr(x, "dtype"):
        raise ArrayError(f"an operation needs numbers, arrays or Values, not {described(x)}")
    require_real(x, m)
    if backend_of(x) is not m:
        x = m.from_numpy(x)  # a plain NumPy array beside arrays of JAX
    return x if m.is_floating(x.dtype) else m.astype(x, dtype or m.default_float())


def require_real(x, m: Backend) -> None:
    """Say why an array cannot be the data of a Value, if it cannot."""
    own = backend_of(x) or m
    if hasattr(x, "mask") and hasattr(x, "filled"):
        raise ArrayError("a masked array would lose its mask; fill it first, for instance with x.filled(0)")
    if getattr(x, "requires_grad", False):
        raise ArrayError("a PyTorch tensor that requires grad has a graph of its own; give its .detach()")
    if own.is_real(x.dtype):
        return
    kind = str(x.dtype)
    if "complex" in kind:
        raise ArrayError(f"complex numbers are not supported ({kind}): give real and imaginary part as two arrays")
    hint = "; x.astype(float), if they are numbers" if kind == "object" else ""
    raise ArrayError(f"a Value holds real numbers, not an array of dtype {kind}: {described(x)}{hint}")
