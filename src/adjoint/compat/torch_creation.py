"""New arrays under PyTorch's names: `tensor`, `zeros`, `randn`, `arange` and others.

Floating-point numbers become Values. Integers and truth values have no gradients: they are plain NumPy arrays, which
serve as indices, labels and masks. The arrays are on the CPU, and random numbers follow `adjoint.manual_seed`.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.apply import make_leaf
from adjoint.arrays.axes import as_shape, require_size, shape_of
from adjoint.arrays.backends import NUMPY, backend_of, require_real
from adjoint.arrays.convert import as_data, data_of, from_nested
from adjoint.arrays.kinds import device_of, numpy_dtype, require_device
from adjoint.arrays.random_generators import Seed, generator as random_generator
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, is_number, is_traced, whole

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def tensor(data, dtype: object = None, device: object = None, requires_grad: bool = True) -> Any:
    """Return numbers, lists or an array as a Value; integers and truth values as a plain array.

    The data is copied. Unlike in PyTorch, a Value receives a gradient unless `requires_grad=False`.

    >>> from adjoint import tensor
    >>> tensor([1.0, 2.0]).dtype, tensor([1, 2])
    (dtype('float64'), array([1, 2]))
    """
    require_device("cpu", device, "tensor")
    if isinstance(data, Value):
        leaf = data.detach() if dtype is None else data.detach().astype(numpy_dtype(dtype)).detach()
        return _frozen(leaf, requires_grad)
    m = backend_of(data) if hasattr(data, "dtype") else None
    if m not in (None, NUMPY):  # an array of another library, on its own device
        require_real(data, m)
        array = m.array(data, data.dtype if dtype is None else m.as_dtype(numpy_dtype(dtype)))
        return _frozen(make_leaf(array), requires_grad) if m.is_floating(array.dtype) else array
    if _kind(data) in "iub" and np.size(data):
        data = np.array(data)
    elif dtype is None:
        return _frozen(Value(data), requires_grad)
    return _made(as_data(data) if _kind(data) not in "iub" else data, dtype, requires_grad)


def _kind(data: object) -> str:
    """Return the kind of the numbers, as NumPy names it; for anything but an array, that of floats."""
    try:
        return np.asarray(data).dtype.kind
    except ValueError:  # lists of different lengths, which Value explains
        return "f"


def _frozen(value: Value, requires_grad: bool) -> Value:
    """Return a new Value, which receives no gradient unless `requires_grad`."""
    if not requires_grad:
        value.requires_grad = False
    return value


def _made(array: np.ndarray, dtype: object = None, requires_grad: bool = True) -> Any:
    """Return a new array in a dtype: as a Value if that is floating."""
    if dtype is not None:
        array = array.astype(numpy_dtype(dtype), copy=False)
    return _frozen(make_leaf(array), requires_grad) if NUMPY.is_floating(array.dtype) else array


def _full(who: str, size: tuple, fill, dtype: object, device: object, requires_grad: bool) -> Any:
    require_device("cpu", device, who)
    shape = _shape(size, who)
    return _made(np.full(shape, fill, np.float64 if dtype is None else numpy_dtype(dtype)), None, requires_grad)


def zeros(*size, dtype: object = None, device: object = None, requires_grad: bool = True) -> "Tensor":
    """Return a Value of zeros: `zeros(2, 3)` or `zeros((2, 3))`.

    >>> from adjoint import zeros
    >>> zeros(2, 3).shape
    (2, 3)
    """
    return _full("zeros", size, 0, dtype, device, requires_grad)


def ones(*size, dtype: object = None, device: object = None, requires_grad: bool = True) -> "Tensor":
    """Return a Value of ones: `ones(2, 3)` or `ones((2, 3))`.

    >>> from adjoint import ones
    >>> ones(2).data
    array([1., 1.])
    """
    return _full("ones", size, 1, dtype, device, requires_grad)


def full(size, fill_value: float, dtype: object = None, device: object = None, requires_grad: bool = True) -> "Tensor":
    """Return a Value that holds the same number everywhere.

    >>> from adjoint import full
    >>> full((2,), 7.0).data
    array([7., 7.])
    """
    if dtype is None and isinstance(fill_value, (bool, int)):
        dtype = type(fill_value)  # as in PyTorch: a plain array of integers or truth values
    return _full("full", (size,), fill_value, dtype, device, requires_grad)


def zeros_like(x, dtype: object = None, device: object = None) -> "Tensor":
    """Return zeros in the shape and the dtype of another array.

    >>> from adjoint import Value, zeros_like
    >>> zeros_like(Value([[1.0, 2.0]])).data
    array([[0., 0.]])
    """
    return _like("zeros_like", x, 0, dtype, device)


def ones_like(x, dtype: object = None, device: object = None) -> "Tensor":
    """Return ones in the shape and the dtype of another array.

    >>> from adjoint import Value, ones_like
    >>> ones_like(Value([[1.0, 2.0]])).data
    array([[1., 1.]])
    """
    return _like("ones_like", x, 1, dtype, device)


def full_like(x, fill_value: float, dtype: object = None, device: object = None) -> "Tensor":
    """Return the same number everywhere, in the shape and the dtype of another array.

    >>> from adjoint import Value, full_like
    >>> full_like(Value([1.0, 2.0]), 7.0).data
    array([7., 7.])
    """
    return _like("full_like", x, fill_value, dtype, device)


def _like(who: str, x, fill, dtype: object, device: object) -> Any:
    require_device(device_of(x), device, who)
    data = _pattern(x, who)
    m = backend_of(data)
    if m not in (None, NUMPY):  # in the library of the array, on its device
        wanted = data.dtype if dtype is None else m.as_dtype(numpy_dtype(dtype))
        found = m.astype(m.zeros_like(data) + fill, wanted)
        return make_leaf(found) if m.is_floating(wanted) else found
    return _made(np.full_like(data, fill, None if dtype is None else numpy_dtype(dtype)))


def eye(
    n: int, m: int | None = None, dtype: object = None, device: object = None, requires_grad: bool = True
) -> "Tensor":
    """Return a Value with ones on the diagonal and zeros elsewhere.

    >>> from adjoint import eye
    >>> eye(2).data
    array([[1., 0.],
           [0., 1.]])
    """
    require_device("cpu", device, "eye")
    rows, columns = _shape(((n, n if m is None else m),), "eye")
    return _made(np.eye(rows, columns), dtype, requires_grad)


def arange(start: float, end: float | None = None, step: float = 1, dtype: object = None, device: object = None) -> Any:
    """Return numbers at equal distances, without the end: integers as a plain array, others as a Value.

    >>> from adjoint import arange
    >>> arange(3), arange(0.0, 1.0, 0.5).data
    (array([0, 1, 2]), array([0. , 0.5]))
    """
    require_device("cpu", device, "arange")
    if end is None:
        start, end = 0, start
    if not (is_number(start) and is_number(end) and is_number(step)) or step == 0:
        raise ArgumentError(f"arange needs numbers and a step that is not 0, not {describe((start, end, step))}")
    require_size((_count(start, end, step),), "arange")
    return _made(np.arange(start, end, step), dtype)


def _count(start: float, end: float, step: float) -> int:
    """Return how many numbers there are from a start to an end, or raise an error if there is no number of them."""
    count = (float(end) - float(start)) / float(step)
    if not math.isfinite(count):
        raise ArgumentError(f"arange needs finite numbers, not {describe((start, end, step))}")
    return max(0, math.ceil(count))


# --- random numbers --------------------------------------------------------------------------------------------------


def randn(
    *size, generator: Seed = None, dtype: object = None, device: object = None, requires_grad: bool = True
) -> "Tensor":
    """Return a Value of numbers from the standard normal distribution.

    >>> from adjoint import manual_seed, randn
    >>> manual_seed(0)
    >>> randn(2, 3).shape
    (2, 3)
    """
    require_device("cpu", device, "randn")
    return _made(random_generator(generator).standard_normal(_shape(size, "randn")), dtype, requires_grad)


def rand(
    *size, generator: Seed = None, dtype: object = None, device: object = None, requires_grad: bool = True
) -> "Tensor":
    """Return a Value of numbers between 0 and 1, uniformly distributed.

    >>> from adjoint import rand
    >>> bool((rand(100).data < 1).all())
    True
    """
    require_device("cpu", device, "rand")
    return _made(random_generator(generator).random(_shape(size, "rand")), dtype, requires_grad)


def randint(
    low: int, high=None, size=None, *, generator: Seed = None, dtype: object = None, device: object = None
) -> Any:
    """Return random integers from `low` to `high - 1` as a plain array: `randint(10, (3,))` or `randint(0, 10, (3,))`.

    >>> from adjoint import randint
    >>> randint(5, 6, (3,))
    array([5, 5, 5])
    """
    require_device("cpu", device, "randint")
    if size is None and not is_number(high):
        low, high, size = 0, low, high
    if size is None:
        raise ArgumentError("randint needs the shape of the result: randint(0, 10, (3,))")
    if high is None or not is_number(high) or not low < high:
        raise ArgumentError(f"randint: low={describe(low)} must be less than high={describe(high)}")
    if low < -(2**63) or high > 2**63:
        raise ArgumentError(
            f"randint: the integers must fit 64 bits, not low={describe(low)} and high={describe(high)}"
        )
    return _made(random_generator(generator).integers(low, high, _shape((size,), "randint")), dtype)


def randperm(n: int, *, generator: Seed = None, device: object = None) -> Any:
    """Return the integers from 0 to n - 1 in random order, as a plain array.

    >>> from adjoint import randperm
    >>> sorted(randperm(3).tolist())
    [0, 1, 2]
    """
    require_device("cpu", device, "randperm")
    return random_generator(generator).permutation(whole(n, "randperm: n", 0))


def randn_like(x, *, generator: Seed = None, dtype: object = None, device: object = None) -> "Tensor":
    """Return normally distributed numbers in the shape and the dtype of another array.

    >>> from adjoint import Value, randn_like
    >>> x = Value([[1.0, 2.0]])
    >>> noise = randn_like(x, generator=0)
    >>> noise.shape, (randn_like(x, generator=0).data == noise.data).all().item()
    ((1, 2), True)
    """
    draw = random_generator(generator).standard_normal
    return _random_like("randn_like", draw, x, dtype, device)


def rand_like(x, *, generator: Seed = None, dtype: object = None, device: object = None) -> "Tensor":
    """Return numbers between 0 and 1 in the shape and the dtype of another array.

    >>> from adjoint import Value, rand_like
    >>> noise = rand_like(Value([[1.0, 2.0]]))
    >>> noise.shape, 0.0 <= noise.min().item() < 1.0
    ((1, 2), True)
    """
    return _random_like("rand_like", random_generator(generator).random, x, dtype, device)


def _random_like(who: str, draw: Callable[..., Any], x, dtype: object, device: object) -> "Tensor":
    require_device(device_of(x), device, who)
    data = _pattern(x, who)
    m = backend_of(data) or NUMPY
    wanted = data.dtype if dtype is None else m.as_dtype(numpy_dtype(dtype))
    if not m.is_floating(wanted):
        raise ArgumentError(f"{who} draws floating-point numbers, not {wanted}; give dtype='float32'")
    return make_leaf(m.astype(m.from_numpy(draw(shape_of(data))), wanted))


def _pattern(x, who: str) -> Any:
    """Return the array of a Value, an array, a number or lists: the shape and the dtype of a new one."""
    data = data_of(x)
    if is_traced(data):
        return np.zeros(())
    data = data if hasattr(data, "dtype") else from_nested(data, who)
    require_real(data, backend_of(data) or NUMPY)
    return data


def _shape(size: tuple, who: str) -> tuple[int, ...]:
    shape = as_shape(size[0] if len(size) == 1 else size, who)
    if any(n < 0 for n in shape):
        raise ShapeError(f"{who}: the sizes of a shape must be at least 0, not {shape}")
    require_size(shape, who)
    return shape


as_tensor = from_numpy = tensor
