"""Functions and methods with PyTorch's names and parameters, where adjoint's function of that purpose has others.

Most of PyTorch's names need no function here: `cat` is `concat`, and the functions take `dim` in place of `axis`.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays import random_generators
from adjoint.arrays.axes import Axis, as_shape, one_axis, shape_of
from adjoint.arrays.backends import backend_of, common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import indexing, products, reductions, shaping, stacking
from adjoint.arrays.kinds import device_of, numpy_dtype, require_device
from adjoint.arrays.random_generators import Seed
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ArrayError, ShapeError
from adjoint.errors.given import whole

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor
    from adjoint.engine.mathematics.protocol import Array
    from adjoint.engine.value import Value

# Functions that have the parameters of adjoint's, under the names of PyTorch.
bmm = mm = mv = products.matmul
cat = concatenate = shaping.concat
clamp = indexing.clip
repeat_interleave = indexing.repeat
unbind = stacking.unstack
unsqueeze = shaping.expand_dims


# --- shapes --------------------------------------------------------------------------------------------------------


def permute(x, *dims) -> "Tensor":
    """Return the array with its axes in another order: `x.permute(0, 2, 1)`.

    >>> from adjoint import Value
    >>> Value([[1.0, 2.0, 3.0]]).permute(1, 0).shape
    (3, 1)
    """
    return shaping.permute_dims(x, dims[0] if len(dims) == 1 and not hasattr(dims[0], "__index__") else dims)


def t(x) -> "Tensor":
    """Return the transpose of a matrix; a vector stays as it is.

    >>> from adjoint import Value
    >>> Value([[1.0, 2.0, 3.0]]).t().shape
    (3, 1)
    """
    if len(shape_of(x)) > 2:
        raise ShapeError(f"t() is the transpose of a matrix, not of shape {shape_of(x)}; x.mT swaps the last two axes")
    return shaping.transpose(x)


def view_as(x, other) -> "Tensor":
    """Return the same elements in the shape of another array."""
    return shaping.reshape(x, shape_of(other))


def expand(x, *sizes) -> "Tensor":
    """Return the array repeated, without a copy, along axes of size 1; a size of -1 keeps that of the axis.

    >>> from adjoint import Value
    >>> Value([[1.0], [2.0]]).expand(-1, 3).shape
    (2, 3)
    """
    x = as_operand(x)
    new = as_shape(sizes[0] if len(sizes) == 1 else sizes, "expand")
    old = shape_of(x)
    if len(new) < len(old) or -1 in new[: len(new) - len(old)]:
        raise ShapeError(f"expand: {old} does not expand to {new}; -1 keeps the size of an axis that the array has")
    known = (0,) * (len(new) - len(old)) + old
    return shaping.broadcast_to(x, tuple(own if size == -1 else size for size, own in zip(new, known)))


def expand_as(x, other) -> "Tensor":
    """Return the array repeated, without a copy, to the shape of another one."""
    return expand(x, shape_of(other))


def repeat(x, repeats, *positional, **along: int | None) -> "Tensor":
    """Return the array with each element repeated, as NumPy's `repeat` does. The axis must be given by name.

    PyTorch's method `repeat` repeats the whole array instead: that is `x.tile(2, 3)`.

    >>> from adjoint import Value
    >>> Value([1.0, 2.0]).repeat(2, axis=0).data
    array([1., 1., 2., 2.])
    """
    if positional or (not along and shape_of(x)):
        raise ArgumentError(
            f"repeat{(repeats, *positional)} repeats the whole array in PyTorch and each element in NumPy; write "
            f"x.tile({(repeats, *positional)}) for the first, and x.repeat({repeats}, axis=…) or "
            f"x.repeat_interleave({repeats}) for the second"
        )
    return indexing.repeat(x, repeats, **along)


def chunk(x, chunks: int, dim: int = 0) -> list["Tensor"]:
    """Split an array into this number of parts along an axis; the last is smaller, or missing, if they do not fit.

    >>> from adjoint import Value, chunk
    >>> [part.shape for part in chunk(Value([1.0, 2.0, 3.0, 4.0, 5.0]), 3)]
    [(2,), (2,), (1,)]
    """
    x, chunks = as_operand(x), whole(chunks, "chunk: chunks")
    size = shape_of(x)[one_axis(dim, len(shape_of(x)), "chunk")]
    return shaping.split(x, max(1, math.ceil(size / chunks)), dim=dim)


@shaping.counts_numbers
def index_select(x, dim: int, index) -> "Tensor":
    """Return the slices of an array at the indices along an axis.

    >>> from adjoint import Value, index_select
    >>> index_select(Value([[1.0, 2.0], [3.0, 4.0]]), 1, [1]).data
    array([[2.],
           [4.]])
    """
    return indexing.take(x, index, dim)


def take_along_dim(x, indices, dim: int | None = None) -> "Tensor":
    """Return the element at each index along an axis; without one, at each index of the flattened array, as one axis.

    >>> from adjoint import Value, take_along_dim
    >>> x = Value([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]])
    >>> take_along_dim(x, [[1], [0]], dim=1).tolist(), take_along_dim(x, [[1], [5]]).tolist()
    ([[1.0], [4.0]], [1.0, 5.0])
    """
    if dim is not None:
        return indexing.take_along_axis(x, indices, dim)
    places = indices if hasattr(indices, "dtype") else np.asarray(indices, None if np.size(indices) else int)
    return indexing.take(x, places.reshape(-1))


# --- elements ------------------------------------------------------------------------------------------------------


def amax(x, dim: Axis = None, keepdim: bool = False) -> "Tensor":
    """Return the largest element, along an axis or of all; `max(x, dim=…)` returns the indices too.

    >>> from adjoint import Value, amax
    >>> amax(Value([[1.0, 5.0], [7.0, 3.0]]), dim=1).data
    array([5., 7.])
    """
    return reductions.max(x, dim, keepdim)


def amin(x, dim: Axis = None, keepdim: bool = False) -> "Tensor":
    """Return the smallest element, along an axis or of all; `min(x, dim=…)` returns the indices too.

    >>> from adjoint import Value, amin
    >>> amin(Value([[1.0, 5.0], [7.0, 3.0]]), dim=1).data
    array([1., 3.])
    """
    return reductions.min(x, dim, keepdim)


def clamp_min(x, min: "Value | Array | float") -> "Tensor":
    """Return `x` limited to a lower bound.

    >>> from adjoint import Value, clamp_min
    >>> clamp_min(Value([-1.0, 2.0]), 0.0).data
    array([0., 2.])
    """
    return indexing.clip(x, min=min)


def clamp_max(x, max: "Value | Array | float") -> "Tensor":
    """Return `x` limited to an upper bound.

    >>> from adjoint import Value, clamp_max
    >>> clamp_max(Value([-1.0, 2.0]), 0.0).data
    array([-1.,  0.])
    """
    return indexing.clip(x, max=max)


def clone(x) -> "Tensor":
    """Return a copy, through which gradients flow.

    >>> from adjoint import Value
    >>> x = Value([1.0, 2.0])
    >>> x.clone().sum().backward()
    >>> x.grad
    array([1., 1.])
    """
    x = as_operand(x)
    if data_of(x) is x and hasattr(x, "dtype"):  # not a Value
        return common_backend([x], "clone").array(x)
    return ops.mul(x, 1.0)


def addmm(input, mat1, mat2, *, beta: float = 1.0, alpha: float = 1.0) -> "Tensor":
    """Return `beta * input + alpha * mat1 @ mat2`.

    >>> from adjoint import Value, addmm
    >>> addmm([0.5, 0.0], Value([[1.0, 2.0]]), [[1.0, 0.0], [0.0, 10.0]]).data
    array([[ 1.5, 20. ]])
    """
    product = products.matmul(mat1, mat2)
    return ops.add(input if beta == 1 else ops.mul(input, beta), product if alpha == 1 else ops.mul(product, alpha))


def multinomial(input, num_samples: int, replacement: bool = False, *, generator: Seed = None) -> Any:
    """Return random indices, drawn with probabilities proportional to the weights along the last axis.

    `generator` is a seed or `numpy.random.default_rng(0)`; without one, `adjoint.manual_seed` decides.

    >>> from adjoint import multinomial
    >>> multinomial([0.0, 1.0, 0.0], 2, replacement=True)
    array([1, 1])
    """
    data = data_of(as_operand(input))
    m = backend_of(data)
    weights = np.asarray(m.to_numpy(data) if m else data, dtype=np.float64)
    num_samples = whole(num_samples, "multinomial: num_samples")
    if weights.ndim not in (1, 2):
        raise ShapeError(f"multinomial needs weights in one row or in rows, not of shape {weights.shape}")
    rows = np.atleast_2d(weights)
    total = rows.sum(axis=-1, keepdims=True)
    if not np.isfinite(rows).all() or (rows < 0).any() or (total <= 0).any():
        raise ArgumentError(
            "multinomial needs weights of at least 0, finite, and not all 0 in a row; use softmax first"
        )
    if not replacement and num_samples > (most := int((rows > 0).sum(axis=-1).min())):
        raise ArgumentError(
            f"multinomial: {num_samples} samples without replacement need as many positive weights, not {most}; or "
            "give replacement=True"
        )
    random = random_generators.generator(generator)
    found = np.stack([random.choice(row.size, num_samples, replacement, row) for row in rows / total])
    return found if weights.ndim == 2 else found[0]


# --- what a tensor holds, and where ----------------------------------------------------------------------------------


def numel(x) -> int:
    """Return the number of elements.

    >>> from adjoint import Value, numel
    >>> numel(Value([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    6
    """
    return math.prod(shape_of(as_operand(x)))


def ndim_of(x) -> int:
    """Return the number of axes."""
    return len(shape_of(x))


def contiguous(x, memory_format: object = None) -> "Tensor":
    """Return the array itself: adjoint needs no particular memory layout, also not `memory_format`."""
    return x


def as_float32(x, memory_format: object = None) -> "Tensor":
    """Return the array in float32, PyTorch's `float`; `memory_format` has no effect."""
    return shaping.astype(x, "float32")


def as_float64(x, memory_format: object = None) -> "Tensor":
    """Return the array in float64; `memory_format` has no effect."""
    return shaping.astype(x, "float64")


def as_float16(x, memory_format: object = None) -> "Tensor":
    """Return the array in float16; `memory_format` has no effect."""
    return shaping.astype(x, "float16")


def as_integers(x) -> "Tensor":
    """Raise an error: a Value holds no integers."""
    raise ArrayError(
        "a Value holds floating-point numbers; v.data.astype(int) gives a plain array of integers, which serves as "
        "labels and indices"
    )


def type_as(x, other) -> "Tensor":
    """Return the array in the dtype of another one."""
    return shaping.astype(x, other.dtype)


def cpu(x) -> "Tensor":
    """Return the array itself if it is in the memory of the CPU."""
    return to(x, "cpu")


def cuda(x, device: object = None) -> "Tensor":
    """Return the array itself if it is on a GPU; otherwise explain how arrays get there."""
    return to(x, "cuda")


def to(x, *target, device: object = None, dtype: object = None, copy: bool = False, **ignored: object) -> "Tensor":
    """Return the array in another dtype: `x.to("float32")`, or in that of another Value; a device must be its own.

    >>> from adjoint import Value
    >>> Value([1.0, 2.0]).to("cpu").to("float32").dtype
    dtype('float32')
    """
    for given in target:
        if _is_device(given):
            device = given
        elif isinstance(given, bool):
            continue  # non_blocking
        else:
            dtype = given if isinstance(given, (type, np.dtype)) else getattr(given, "dtype", given)
    if device is not None:
        require_device(device_of(x), device, "to")
    if dtype is not None and dtype != x.dtype:
        return shaping.astype(x, numpy_dtype(dtype))
    return clone(x) if copy else x


_DEVICES = ("cpu", "cuda", "gpu", "mps", "tpu", "xla")


def _is_device(given: object) -> bool:
    """Return whether this names a device: a string such as "cuda:0", or an object such as `torch.device("cpu")`."""
    return type(given).__name__ == "device" or str(given).partition(":")[0] in _DEVICES
