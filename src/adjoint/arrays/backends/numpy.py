"""NumPy arrays as data, with the fast variants of its functions."""

import contextvars
import math
import os
import threading
from functools import lru_cache
from typing import Any

import numpy as np

from adjoint.arrays.backends.base import FEWEST_TILES, TILE_SIZES, Backend, each_entry, erf
from adjoint.engine.native import twin
from adjoint.errors.optional import library


class _Quiet(threading.local):
    """For each thread, a context in which NumPy does not warn about infinities and NaN.

    Calling into a context costs a tenth of entering `np.errstate`, and NumPy's settings are part of it.
    """

    def __init__(self):
        context = contextvars.Context()
        context.run(np.seterr, all="ignore")
        self.run = context.run


quiet = _Quiet()
# Whether malloc keeps freed memory for the next arrays; ADJOINT_KEEP_MEMORY=0 leaves its settings alone.
keeps_memory: bool = os.environ.get("ADJOINT_KEEP_MEMORY") != "0" and twin("keep_memory", lambda: False)()


def _leave(*arguments: Any) -> Any:
    """Return None: NumPy computes. The functions of the native core do so for arrays that are not contiguous."""


_select, _sum_along, _add_at = (twin(name, _leave) for name in ("select", "sum_along", "add_at"))


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

    def complex_of(self, real, imag):
        z = np.empty(real.shape, np.result_type(real.dtype, np.complex64))
        z.real, z.imag = real, imag
        return z

    def is_floating(self, dtype):
        return dtype.kind == "f" or dtype.name == "bfloat16"

    def is_real(self, dtype):
        return dtype.kind in "fiub" or dtype.name == "bfloat16"

    def as_dtype(self, dtype):
        if isinstance(dtype, str) and dtype == "bfloat16":  # a dtype of the library ml_dtypes, which JAX installs
            return np.dtype(library("ml_dtypes", "bfloat16", "jax").bfloat16)
        try:
            if dtype is not None:
                return np.dtype(dtype)
        except Exception:
            pass
        raise self._no_dtype(dtype)

    def astype(self, x, dtype):
        return x.astype(dtype, copy=False)

    def where(self, condition, x, z):
        if type(condition) is np.ndarray:
            arrays = [choice for choice in (x, z) if type(choice) is not float]
            if arrays and all(type(a) is np.ndarray and a.shape == condition.shape for a in arrays):
                chosen = np.empty(condition.shape, arrays[0].dtype)
                if _select(condition, x, z, chosen):  # else it is not contiguous, or of two dtypes
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
        kind = x.dtype.char
        if kind in "fd":
            total = _sum_along(x, axis, keepdims)
            if total is not None:  # else it is not contiguous, or the axes do not adjoin
                return total
        if kind == "f" and x.ndim > 1 and not (axis == (x.ndim - 1,) and x.flags.c_contiguous):
            return _sum_of_floats(x, axis, keepdims)
        if kind == "e":
            return _reduce(x, axis, keepdims, np.float32).astype(x.dtype)
        return np.add.reduce(x, axis, None, None, keepdims)  # pyright: ignore[reportCallIssue, reportArgumentType]

    def mean(self, x, axis=None, keepdims=False):
        total = self.sum(x, axis, keepdims)
        return total / (x.size // total.size) if total.size and x.size else total / 0.0

    def cumulative_sum(self, x, axis):
        if x.dtype.char != "f":
            return np.cumsum(x, axis=axis)
        return np.cumsum(x, axis=axis, dtype=np.float64).astype(np.float32)

    def cumulative_prod(self, x, axis):
        return np.cumprod(x, axis=axis)

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

    transposed_rows = matrix_transpose

    def matmul(self, x, z):
        return x.dot(z) if x.ndim == 2 == z.ndim else np.matmul(x, z)

    def broadcast_to(self, x, shape):
        x = np.asarray(x)  # what np.broadcast_to does, several times faster
        old = x.shape
        missing = len(shape) - len(old)
        strides = [0] * missing
        if old:
            if missing < 0 or not x.size or not x.flags.c_contiguous:
                return np.broadcast_to(x, shape)
            for a, b, stride in zip(old, shape[missing:], x.strides):
                if a != b and a != 1:
                    return np.broadcast_to(x, shape)  # raises: np.ndarray does not check sizes
                strides.append(stride if a != 1 else 0)
        view = np.ndarray(shape, x.dtype, x, 0, strides)
        view.flags.writeable = False
        return view

    def zeros_like(self, x):
        return np.zeros(x.shape, x.dtype)

    def tile_limits(self, x):
        return TILE_SIZES["cpu"], FEWEST_TILES["cpu"]

    def erf(self, x):
        return erf(x)

    def special(self, name):
        from adjoint.arrays.backends import numpy_special

        return getattr(numpy_special, name)

    def argsort(self, x, axis, descending):
        if descending:  # stable: equal elements stay in their order
            flipped = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
            return x.shape[axis] - 1 - flipped
        return np.argsort(x, axis=axis, kind="stable")

    def cumulative_max(self, x, axis):
        return np.maximum.accumulate(x, axis=axis)

    def einsum(self, subscripts, *operands):
        if any(type(x) is float for x in operands):
            operands = tuple(self.arrays(operands))  # a number takes the dtype of the arrays
        if any(x.dtype.char == "f" for x in operands):
            subscripts, operands = _sum_lone_letters(self, subscripts, operands)
        return np.einsum(subscripts, *operands, optimize=len(operands) > 1)

    def scatter_add(self, x, index, values):
        total, values = np.array(x), np.asarray(values)
        if _add_in_core(total, index, values):
            return total
        rows = _rows(index)
        if rows is not None and values.ndim > 1:
            _add_rows(total, rows, values)
        elif _is_basic(index):
            total[index] += values
        else:
            # in full shape: NumPy 2.4 adds broadcast values only once per repeated index
            np.add.at(total, index, np.broadcast_to(values, total[index].shape))
        return total

    def scatter_set(self, x, index, values):
        changed = np.array(x)
        changed[index] = values
        return changed

    def put_slice(self, x, values, axis, start):
        x[(slice(None),) * axis + (slice(start, start + values.shape[axis]),)] = values
        return x

    def owns(self, x):
        return isinstance(x, (np.ndarray, np.generic))

    def is_writeable_alone(self, x):
        return type(x) is not np.ndarray or (x.base is None and x.flags.writeable)


def _reduce(x: np.ndarray, axis, keepdims: bool, dtype=None) -> Any:
    return np.add.reduce(x, axis=axis, dtype=dtype, keepdims=keepdims)


def _sum_of_floats(x: np.ndarray, axis, keepdims: bool) -> Any:
    """Return a sum of float32.

    NumPy adds neighbors in memory pairwise. Elsewhere it adds one row after another, and the error grows with the
    number of rows; there, this function accumulates in float64.
    """
    ndim, shape = x.ndim, x.shape
    if not x.flags.c_contiguous:
        return _reduce(x, axis, keepdims, np.float64).astype(np.float32)
    if axis == (0,) and ndim == 2:  # the gradient of a bias
        total = _sum_of_middle(x, 1, *shape)
        return total if keepdims else total[0]
    axes = set(range(ndim)) if axis is None else {i % ndim for i in (axis if isinstance(axis, tuple) else (axis,))}
    last = ndim
    while last and (last - 1 in axes or shape[last - 1] == 1):
        last -= 1
    if any(i >= last for i in axes):
        count = math.prod(shape[last:])
        if 1 < count < _SHORT and x.size > count:
            x = x.reshape(-1, count).dot(_ones(count, "f")).reshape(*shape[:last], *[1] * (ndim - last))
        else:
            x = _reduce(x, tuple(i for i in axes if i >= last), True)
    while last:
        last -= 1
        if last in axes:
            end = last + 1
            while last and last - 1 in axes:
                last -= 1
            before, summed, after = x.shape[:last], x.shape[last:end], x.shape[end:]
            total = _sum_of_middle(x, math.prod(before), math.prod(summed), math.prod(after))
            x = total.reshape(*before, *[1] * len(summed), *after)
    if keepdims:
        return x
    return x.reshape([size for i, size in enumerate(shape) if i not in axes])[()]


def _sum_of_middle(x: np.ndarray, outer: int, count: int, inner: int) -> np.ndarray:
    """Return the sum of contiguous float32, seen in the shape (outer, count, inner), along the middle axis."""
    result = np.empty((outer, inner), np.float32)
    _write_sums(x, result, outer, count, inner)
    return result


def _write_sums(x: np.ndarray, result: np.ndarray, outer: int, count: int, inner: int) -> None:
    x = x.reshape(outer, count, inner)
    whole = count - count % _BLOCK
    blocks = np.matmul(_ones(_BLOCK, "f"), x[:, :whole].reshape(outer, whole // _BLOCK, _BLOCK, inner))
    result[...] = np.add.reduce(blocks, 1, np.float64) + np.add.reduce(x[:, whole:], 1, np.float64)


_write_sums = twin("sum_floats", _write_sums)
_SHORT = 128  # NumPy adds up fewer numbers one after another, several times slower than a product does
_BLOCK = 32  # rows that a product adds up in float32


def _sum_lone_letters(m: NumPyBackend, subscripts: str, operands: tuple) -> tuple[str, list]:
    """Return an einsum without the letters that only one operand has and the result does not: they are summed first."""
    left, output = subscripts.split("->")
    inputs, found = left.split(","), []
    for k, x in enumerate(operands):
        others = "".join([*inputs[:k], *inputs[k + 1 :], output])
        lone = [i for i, letter in enumerate(inputs[k]) if letter not in others and inputs[k].count(letter) == 1]
        found.append(m.sum(x, axis=tuple(lone)) if lone else x)
        inputs[k] = "".join(letter for i, letter in enumerate(inputs[k]) if i not in lone)
    return f"{','.join(inputs)}->{output}", found


def _is_basic(index) -> bool:
    """Return whether an index is made of integers, slices, None and ... alone, so that nothing occurs twice."""
    return all(isinstance(i, (int, np.integer, slice, type(None), type(Ellipsis))) for i in each_entry(index))


def _rows(index) -> np.ndarray | None:
    """Return the integer array of an index that is nothing else: the one of an embedding."""
    (*rest, last) = each_entry(index) or ((), None)
    is_integers = not rest and isinstance(last, np.ndarray) and last.dtype.kind in "iu"
    return last if is_integers else None


def _add_in_core(total: np.ndarray, index, values: np.ndarray) -> bool:
    """Add `values` at the places that integer arrays name on the first axes, in the native core, and return True."""
    entries = each_entry(index)
    if not entries or not all(
        type(i) is np.ndarray and i.dtype.kind in "iu" and i.shape == entries[0].shape for i in entries
    ):
        return False
    shape = entries[0].shape + total.shape[len(entries) :]
    if values.shape != shape:
        values = np.broadcast_to(values, shape)
    places = tuple([np.asarray(i, np.intp, "C") for i in entries])
    return _add_at(total, places, np.asarray(values, order="C"))


def _add_rows(total: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
    """Add each of `values` to its row of `total`: sorted, so that each row is added to once."""
    flat = rows.ravel().astype(np.intp, copy=False)  # the number of rows may not fit into a smaller dtype
    if not flat.size or not total.size:
        return
    values = np.broadcast_to(values, rows.shape + total.shape[1:]).reshape(flat.size, *total.shape[1:])
    if flat.min() < -len(total):
        raise IndexError(f"index {flat.min()} is out of bounds for axis 0 with size {len(total)}")
    flat = np.where(flat < 0, flat + len(total), flat)
    order = flat.argsort(kind="stable")
    flat = flat[order]
    starts = np.concatenate(([0], np.flatnonzero(np.diff(flat)) + 1))
    total[flat[starts]] += np.add.reduceat(values[order], starts, axis=0)


NUMPY = NumPyBackend(np)
