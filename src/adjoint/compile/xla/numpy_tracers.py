"""Tracers that follow NumPy's rules for dtypes.

JAX has rules of its own: `uint8 / 2` is float32, a sum of int32 and float32 is float32, and 300 becomes 44 in uint8. A
function of NumPy arrays gives the dtypes of NumPy, compiled or not. So the tracers that stand for NumPy arrays, and
what operators and methods compute from them, are of a subclass of JAX's tracers. Its operators convert both operands to
the dtypes that NumPy would use. Functions of JAX return JAX's tracers.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from adjoint.arrays.backends import backend_of
from adjoint.compile.xla.lost_updates import IN_PLACE, Watched
from adjoint.compile.xla.numpy_functions import apply_function, apply_ufunc
from adjoint.engine.value import Value
from adjoint.errors.optional_jax import load_jax
from adjoint.transforms.trees import tree_map

_UFUNCS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "pow": np.power, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "lshift": np.left_shift, "rshift": np.right_shift, "matmul": np.matmul,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
_UNARY = ("__neg__", "__pos__", "__abs__", "__invert__")
_METHODS = (
    "astype", "clip", "copy", "diagonal", "dot", "flatten", "max", "min", "prod", "ravel", "repeat", "reshape", "round",
    "sort", "squeeze", "sum", "swapaxes", "take", "trace", "transpose",
)  # fmt: skip
_FLOATING = ("mean", "std", "var")  # in float64 for integers
_ACCUMULATING = ("cumprod", "cumsum")  # in 64 bits for integers


def follow_numpy(x: Any) -> Any:
    """Make a tracer follow NumPy's rules, and return it; anything else stays as it is."""
    if isinstance(x, load_jax().core.Tracer) and not isinstance(x, _FollowsNumPy) and x.dtype in _DTYPES:
        x.__class__ = _subclass(type(x))
    return x


def follows_numpy(x: Any) -> bool:
    """Return whether `x` is a tracer that follows NumPy's rules."""
    return isinstance(x, _FollowsNumPy)


class _FollowsNumPy(Watched):
    """The mark of tracers that follow NumPy's rules."""

    __slots__ = ()


@cache
def _subclass(kind: type) -> type:
    """Return the subclass of a class of tracers whose instances follow NumPy's rules."""
    methods: dict[str, Any] = {"__slots__": (), "__hash__": None, **IN_PLACE}
    for name, ufunc in _UFUNCS.items():
        methods[f"__{name}__"] = _operator(kind, f"__{name}__", name, ufunc)
        if name not in _COMPARISONS:
            methods[f"__r{name}__"] = _operator(kind, f"__r{name}__", name, ufunc)
    methods |= {name: _followed(getattr(kind, name)) for name in _UNARY if hasattr(kind, name)}
    methods |= {name: _method(name, lambda dtype: None) for name in _METHODS}
    methods |= {name: _method(name, lambda dtype: np.dtype(np.float64)) for name in _FLOATING}
    methods |= {name: _method(name, _accumulator) for name in _ACCUMULATING}
    methods["__getitem__"] = _getitem(kind)
    methods["__array_ufunc__"], methods["__array_function__"] = _array_ufunc, _array_function
    for name in ("T", "mT"):
        methods[name] = property(lambda self, name=name: follow_numpy(kind.__getattr__(self, name)))
    return type(kind)(kind.__name__, (_FollowsNumPy, kind), methods)


def _array_ufunc(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """Compute `np.exp(x)` and the like."""
    if any(isinstance(x, Value) for x in inputs):
        return NotImplemented  # a Value does it, with gradients
    return tree_map(follow_numpy, apply_ufunc(ufunc, method, inputs, options))


def _array_function(self, function: Callable, types: tuple, arguments: tuple, options: dict) -> Any:
    """Compute `np.where(x > 0, x, 0)` and the like."""
    if any(issubclass(kind, Value) for kind in types):
        return NotImplemented
    return tree_map(follow_numpy, apply_function(function, arguments, options))


def _followed(method: Callable) -> Callable:
    def apply(self, *arguments, **options):
        return follow_numpy(method(self, *arguments, **options))

    return apply


def _getitem(kind: type) -> Callable:
    """Return the method behind `x[index]`: an index out of range is an error or NaN, as for Values."""

    def getitem(self, index):
        m: Any = backend_of(self)
        checked = m.checked_index(self, index)
        is_sure = m.is_sure(self.shape, index)
        return follow_numpy(kind.__getitem__(self, checked) if is_sure else m.elements_or_nan(self, checked))

    return getitem


def _method(name: str, dtype_of: Callable[[np.dtype], np.dtype | None]) -> Callable:
    def apply(self, *arguments, **options):
        dtype = dtype_of(self.dtype) if self.dtype.kind in "iub" else None
        if dtype is not None and options.get("dtype") is None:
            options["dtype"] = dtype
        return follow_numpy(type(self).__getattr__(self, name)(*arguments, **options))

    return apply


def _accumulator(dtype: np.dtype) -> np.dtype:
    return np.dtype(np.uint64 if dtype.kind == "u" else np.int64)


def _operator(kind: type, method: str, name: str, ufunc: np.ufunc) -> Callable:
    """Return the method of an operator: its operands are converted as NumPy would, and JAX computes."""
    compute = getattr(kind, method)
    is_reflected = method.startswith("__r") and method != "__rshift__"

    def apply(self, other):
        given = _given(other)
        if given is None:
            return compute(self, other)
        given = _as_compared(self.dtype, given) if name in _COMPARISONS else given
        try:
            pair = (given, self.dtype) if is_reflected else (self.dtype, given)
            *into, out = ufunc.resolve_dtypes((*pair, None))
        except TypeError:
            return compute(self, other)  # NumPy has no such operation: JAX raises an error too
        own, its = reversed(into) if is_reflected else into
        if type(other) is int and its.kind in "iu":
            np.asarray(other, its)  # raises an error for a number that the dtype cannot hold
        found = compute(_cast(self, own), other if given in (int, float) else _cast(other, its))
        return follow_numpy(_cast(found, out))

    return apply


def _given(other: Any) -> Any:
    """Return the dtype of an operand, or the type of a Python number, as NumPy takes it; None for other objects."""
    if type(other) in (int, float):
        return type(other)
    if type(other) is bool:
        return np.dtype(bool)
    if isinstance(other, load_jax().core.Tracer) and getattr(other.aval, "weak_type", False):
        return int if other.dtype.kind == "i" else float
    is_array = isinstance(other, (np.ndarray, np.generic, load_jax().Array))
    return other.dtype if is_array and other.dtype in _DTYPES else None


def _as_compared(dtype: np.dtype, given: Any) -> Any:
    """Return the dtype of a number in a comparison: NumPy compares integers exactly, in whatever dtype they fit."""
    return np.dtype(np.int64) if given is int and dtype.kind in "iu" and dtype.itemsize < 8 else given


def _cast(x: Any, dtype: np.dtype) -> Any:
    if isinstance(x, bool):
        return np.asarray(x, dtype)
    return x if x.dtype == dtype else load_jax().lax.convert_element_type(x, dtype)


_DTYPES = [np.dtype(name) for name in (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "complex64", "complex128",
)]  # fmt: skip
