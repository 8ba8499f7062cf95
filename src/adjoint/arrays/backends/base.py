"""What a rule needs from an array library: the base class of all backends.

A backend is the `m` of a rule that is read with arrays. Its attributes are the functions of the library's array API
namespace, and those defined here where the standard has none or where the library's own is slow.
"""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.engine.native import twin
from adjoint.errors import ArrayError, LibraryError
from adjoint.errors.given import describe

if TYPE_CHECKING:
    from adjoint.engine.mathematics.protocol import Array


def total(*terms):
    """Return the sum of those terms that are not None; None if there are none."""
    found = None
    for term in terms:
        if term is not None:
            found = term if found is None else found + term
    return found


def erf(x):
    """Return the error function of a number or a NumPy array; NumPy itself does not provide it."""
    if type(x) is float:  # not np.float64, which stays one
        return math.erf(x)
    whole = np.asarray(x, dtype=np.float64, order="C")
    found = np.empty(whole.shape)
    _write_erf(whole, found)
    return found.astype(x.dtype, copy=False) if found.ndim else x.dtype.type(found)


def _write_erf(x: np.ndarray, found: np.ndarray) -> None:
    found.ravel()[:] = [math.erf(number) for number in x.ravel().tolist()]


_write_erf = twin("erf", _write_erf)


def is_half(x) -> bool:
    """Return whether an array, or a Value that holds one, is of float16 or bfloat16."""
    try:
        return x.dtype.itemsize == 2 and "int" not in str(x.dtype)
    except AttributeError:  # a number
        return False


def is_bfloat16(x) -> bool:
    """Return whether `x` is a NumPy array of bfloat16, for which NumPy has no arithmetic of its own."""
    dtype = getattr(x, "dtype", None)
    return getattr(dtype, "kind", "") == "V" and getattr(dtype, "name", "") == "bfloat16" and isinstance(x, _NUMPY)


_NUMPY = (np.ndarray, np.generic)


# How many numbers a tile of a large product has at most, and how many tiles are worth their time. On a GPU, products
# of fewer rows would be slower; 2²⁸ numbers take 512 MB in bfloat16. There, two tiles would save little memory for the
# time of summing their gradients.
TILE_SIZES = {"cpu": 1 << 24, "gpu": 1 << 28}
FEWEST_TILES = {"cpu": 2, "gpu": 3}


class Backend:
    """An array library that follows the Python array API standard."""

    name = "array"
    own_rows: frozenset[str] = frozenset()  # composite rows of the table that the library computes itself
    own_slopes = False  # whether the library may differentiate what it computes, and should use adjoint's rules for it
    own_convolution: Any = None  # the three products of a convolution, if the library has them
    has_wide_products = False  # whether `wide_matmul` is a product of the library, which takes half floats as they are
    compiles = False  # whether the library compiles what is computed, and a rule should be one operation of few arrays
    vectorizes = False  # whether the library has `vectorized`
    differentiates = False  # whether the library will differentiate what is computed now
    devices = 1  # that share the arrays of the program

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

    def without_gradient(self, x):
        """Return the same numbers; if the library differentiates what is computed, as a constant."""
        return x

    def astype_float32(self, x):
        return self.astype(x, self.xp.float32)

    def to_numpy(self, x) -> np.ndarray:
        return np.asarray(x)

    def from_numpy(self, x: np.ndarray):
        """Return an array of this library. Only NumPy supports numbers in the byte order of other machines."""
        return self.xp.asarray(x.astype(x.dtype.newbyteorder("="), copy=False))

    def complex_of(self, real, imag):
        """Return complex numbers, for computations inside a rule; the data of a Value is real."""
        return real + 1j * imag

    def constant(self, x: np.ndarray, like):
        """Return a NumPy array as one of this library, with the dtype and on the device of `like`."""
        return self.astype(self.from_numpy(x), like.dtype)

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
        return self.from_numpy(np.asarray(erf(self.to_numpy(x))))

    def special(self, name: str) -> Callable:
        """Return a special function by SciPy's name, such as gammaln; here NumPy computes it."""
        from adjoint.arrays.backends import numpy_special

        function = getattr(numpy_special, name)
        return lambda *xs: self.from_numpy(
            np.asarray(function(*[self.to_numpy(x) if hasattr(x, "dtype") else x for x in xs]))
        )

    def einsum(self, subscripts: str, *operands):
        return self.xp.einsum(subscripts, *operands)

    def exp_of_own(self, x):
        """Return exp(x), computed in the memory of `x` if possible."""
        return self.xp.exp(x)

    def is_traced(self, x) -> bool:
        """Return whether the numbers of an array are not known yet."""
        return False

    def is_sure(self, shape, index) -> bool:
        """Return whether an index of an array is known, or will be checked before the program runs that jit traces."""
        return True

    def is_number(self, x) -> bool:
        """Return whether `x` is a Python number, or stands for one while jit traces."""
        return isinstance(x, (float, int))

    def wide_matmul(self, x, z):
        """Return the product of half floats in float32."""
        return self.matmul(self.astype_float32(x), self.astype_float32(z))

    def scan(self, step: Callable, carry, xs: Sequence) -> tuple:
        """Return the last carry of `carry, found = step(carry, [x[k] for x in xs])`, and what was found, stacked."""
        rows = []
        for row in zip(*xs):
            carry, found = step(carry, row)
            rows.append(found)
        return carry, [self.xp.stack(found) for found in zip(*rows)]

    def tile_limits(self, x) -> tuple[float, int]:
        """Return how many numbers a tile of a product of `x` has at most, and how many tiles there are at least."""
        return math.inf, FEWEST_TILES["cpu"]

    def attention_kernel(
        self, arrays: Sequence, mask, causal: bool, scale: float, has_dropout: bool, groups: int
    ) -> Any:
        """Return a kernel for attention: one operation with its pullback, why none fits, or None if there is none."""
        return None

    def mask_source(self, seed: int, draw: int) -> dict[str, Any]:
        """Return the randomness of a draw, as the option of `dropout`: another one for each draw."""
        return {"generator": np.random.default_rng([seed, draw])}

    def optimization_barrier(self, arrays: list) -> list:
        """Return the arrays such that a compiler does not merge later operations on them with earlier ones."""
        return arrays

    def getitem(self, x, index):
        return x[index]

    def transposed_rows(self, x):
        """Return the transpose of matrices that is about to be multiplied from the left, in the fastest layout."""
        return self.matrix_transpose(x)

    def as_condition(self, condition):
        """Return a mask, which may be a NumPy array, as one of this library."""
        return condition if self.owns(condition) else self.from_numpy(np.asarray(condition))

    def owns(self, x) -> bool:
        """Return whether `x` is an array of this library."""
        return hasattr(x, "__array_namespace__") and x.__array_namespace__() is self.xp

    def as_dtype(self, dtype):
        """Return a dtype of the library, given by name or as Python's float."""
        try:
            name = getattr(dtype, "name", None) or np.dtype(dtype).name
        except Exception:
            name = dtype  # one of another library, or a name that NumPy does not have, such as bfloat16
        try:
            found = getattr(self.xp, name) if isinstance(name, str) else name
            if dtype is not None:
                return self.xp.zeros((), dtype=found).dtype
        except Exception:
            pass
        raise self._no_dtype(dtype)

    def _no_dtype(self, dtype) -> ArrayError:
        return ArrayError(f"a dtype is a name such as 'float32' or a dtype of {self.name}, not {describe(dtype)}")

    def memory_of(self, x) -> object:
        """Return an object that identifies the memory of an array: the same for all views of it."""
        return x

    def scatter_add(self, x, index, values) -> "Array":
        """Return `x` with `values` added at `index`; where an index occurs twice, both are added."""
        raise LibraryError(f"{self.name} arrays cannot be indexed with gradients")

    def scatter(self, like, index, values) -> "Array":
        """Return zeros in the shape and dtype of an array, with `values` added at `index`."""
        return self.scatter_add(self.zeros_like(like), index, values)

    def scatter_set(self, x, index, values) -> "Array":
        """Return `x` with `values` at `index`."""
        raise LibraryError(f"{self.name} arrays cannot be updated with .at")

    def put_slice(self, x, values, axis: int, start):
        """Return `x` with `values` along an axis from `start`, which may be traced; `x` itself may be changed."""
        return self.scatter_set(x, (slice(None),) * axis + (slice(start, start + values.shape[axis]),), values)

    def while_loop(self, condition: Callable, body: Callable, carry):
        """Return the last of `carry = body(carry)`, computed while `condition(carry)` holds."""
        while condition(carry):
            carry = body(carry)
        return carry

    def is_writeable_alone(self, x) -> bool:
        """Return whether changing `x` in place cannot change any other array."""
        return False

    total = staticmethod(total)

    def pad(self, x, width, value: float):
        """Return `x` within a margin of `value`."""
        shape = tuple(before + size + after for (before, after), size in zip(width, x.shape))
        padded = self.zeros(shape, x)
        if value:
            padded[...] = value
        padded[tuple(slice(before, before + size) for (before, _), size in zip(width, x.shape))] = x
        return padded

    def fold(self, parts, like, geometry):
        """Return the sum of all windows as an input. Each part holds one kernel position of all windows."""
        total = self.zeros((*like.shape[:2], *geometry.padded_size), like)
        apart = all(step >= span for step, span in zip(geometry.stride, geometry.span))
        for (_, where), part in zip(geometry.places, parts):
            if apart:
                total[(..., *where)] = part
            else:
                total[(..., *where)] += part
        return total[geometry.inside]

    def largest_at(self, size: int, places, values):
        """Return, for each of `size` places, the largest of the positive integers there; 0 where there is none."""
        found = np.zeros(size, dtype=np.intp)
        np.maximum.at(found, self.to_numpy(places), self.to_numpy(values))
        return self.from_numpy(found)

    def counts_at(self, size: int, places):
        """Return how many indices name each place."""
        return self.from_numpy(np.bincount(self.to_numpy(places), minlength=size))

    def rank_table(self, size: int, places, longest: int):
        """Return, for each place, which elements are there: at most `longest`, filled up with -1 for none."""
        places = self.to_numpy(places)
        order, placed, rank = ranks(np, places)
        table = np.full((size, int(rank.max()) + 1), -1)
        table[placed, rank] = order
        return self.from_numpy(table)

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

    def cumulative_max(self, x, axis: int):
        """Return the largest element so far along an axis; NaN after the first NaN."""
        return self.from_numpy(np.maximum.accumulate(self.to_numpy(x), axis=axis))

    def arrays(self, xs: Sequence) -> list:
        """Return arrays and numbers as arrays, all of one dtype."""
        dtypes = [x.dtype for x in xs if hasattr(x, "dtype")]
        dtype = self.xp.result_type(*dtypes) if dtypes else self.default_float()
        return [self.xp.asarray(x, dtype=dtype) for x in xs]


def ranks(xp, places) -> tuple:
    """Return the order that sorts places, the sorted places, and how many equal ones stand before each."""
    order = xp.argsort(places, stable=True)
    placed = places[order]
    return order, placed, xp.arange(len(places)) - xp.searchsorted(placed, placed, side="left")


# --- indices ---------------------------------------------------------------------------------------


def each_entry(index) -> tuple:
    """Return the entries of an index, which may be one entry alone."""
    return index if isinstance(index, tuple) else (index,)


def on_host(entry):
    """Return an entry of an index as NumPy takes it, arrays of any library converted."""
    return np.asarray(entry) if hasattr(entry, "dtype") else entry
