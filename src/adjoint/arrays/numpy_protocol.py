"""NumPy's functions on Values: `np.exp(v)`, `np.sum(v, axis=0)`, `array @ v` give Values with gradients.

A function of NumPy is looked up here by its name. A function without a rule raises an error: its result would have no
history, and the gradient would be lost silently.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from adjoint.arrays.functions import indexing, linalg, products, reductions, shaping
from adjoint.arrays.tensor import Tensor
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import AdjointError, MissingRuleError

# NumPy's names that differ from adjoint's.
_UFUNCS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div", "power": "pow",
    "float_power": "pow", "negative": "neg", "absolute": "abs", "fabs": "abs", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "rint": "round",
}  # fmt: skip
_REDUCTIONS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}
# Functions that test numbers and have no gradient.
_TESTS = (
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "equal",
    "not_equal",
    "isfinite",
    "isinf",
    "isnan",
    "signbit",
)
_QUESTIONS = ("shape", "ndim", "size", "zeros_like", "ones_like", "empty_like", "full_like", "allclose",
              "array_equal", "isclose", "array_repr", "array_str", "array2string", "result_type", "iscomplexobj",
              "isrealobj", "count_nonzero", "any", "all", "argsort", "nonzero")  # fmt: skip
_SAME = [
    "sum",
    "mean",
    "prod",
    "var",
    "std",
    "max",
    "min",
    "argmax",
    "argmin",
    "cumsum",
    "cumprod",
    "permute_dims",
    "matrix_transpose",
    "swapaxes",
    "moveaxis",
    "squeeze",
    "expand_dims",
    "broadcast_to",
    "flip",
    "roll",
    "repeat",
    "concat",
    "stack",
    "split",
    "where",
    "take",
    "take_along_axis",
    "tril",
    "triu",
    "diag",
    "dot",
    "tensordot",
    "outer",
    "einsum",
]
_LINALG = ("norm", "inv", "solve", "det", "slogdet", "cholesky", "eigh", "svd", "qr", "eigvalsh", "svdvals", "pinv",
           "matrix_power", "matrix_norm")  # fmt: skip


def _function(name: str) -> Callable:
    """Return the function of adjoint that has this name."""
    return next(getattr(room, name) for room in (reductions, shaping, indexing, products) if hasattr(room, name))


def _two_axes_last(x, axis1: int, axis2: int) -> Tensor:
    """Return an array with two axes moved to the end: NumPy takes the first two, adjoint the last two."""
    return shaping.moveaxis(x, (axis1, axis2), (-2, -1))


def _round(a, decimals: int = 0) -> Value:
    if decimals:
        raise MissingRuleError(f"np.round with decimals={decimals} is not supported; use np.round(10 * v) / 10")
    return ops.round(a)


def _pad(array, pad_width, mode: str = "constant", constant_values: float = 0.0) -> Tensor:
    if mode != "constant":
        raise MissingRuleError(f"np.pad with mode={mode!r} is not supported; use mode='constant' or adjoint.concat")
    return shaping.pad(array, pad_width, constant_values)


# Functions whose arguments have other names in NumPy.
_ADAPTED: dict[str, Callable] = {
    "concatenate": lambda arrays, axis=0: shaping.concat(arrays, axis),
    "amax": lambda a, axis=None, keepdims=False: reductions.max(a, axis, keepdims),
    "amin": lambda a, axis=None, keepdims=False: reductions.min(a, axis, keepdims),
    "cumulative_sum": lambda x, axis=None: reductions.cumsum(x, axis),
    "cumulative_prod": lambda x, axis=None: reductions.cumprod(x, axis),
    "ravel": lambda a: shaping.flatten(a),
    "reshape": lambda a, shape: shaping.reshape(a, shape),
    "transpose": lambda a, axes=None: shaping.transpose(a, axes),
    "clip": lambda a, a_min=None, a_max=None, min=None, max=None: indexing.clip(
        a, a_min if min is None else min, a_max if max is None else max
    ),
    "tile": lambda A, reps: shaping.tile(A, reps),
    "diagonal": lambda a, offset=0, axis1=0, axis2=1: indexing.diagonal(_two_axes_last(a, axis1, axis2), offset),
    "trace": lambda a, offset=0, axis1=0, axis2=1: reductions.sum(
        indexing.diagonal(_two_axes_last(a, axis1, axis2), offset), -1
    ),
    "sort": lambda a, axis=-1: indexing.sort(shaping.flatten(a) if axis is None else a, 0 if axis is None else axis),
    "round": _round,
    "around": _round,
    "pad": _pad,
}


def array_ufunc(ufunc, method: str, inputs: tuple, options: dict) -> Any:
    """Return the result of `ufunc(*inputs)`, with gradients."""
    if ufunc is np.matmul and method == "__call__" and not options:
        return products.matmul(*inputs)
    name = ufunc.__name__
    if options.get("out") is not None:
        raise MissingRuleError(
            f"np.{name}(…, out=…), or an in-place operator of an array with a Value, would write a result without "
            "history into a plain array; write array = array + v"
        )
    options = {key: x for key, x in options.items() if not (key in _UNSET and x is None)}
    if method == "reduce" and name in _REDUCTIONS and options.keys() <= {"axis", "keepdims"}:
        return getattr(reductions, _REDUCTIONS[name])(*inputs, **{"axis": 0, **options})
    if method != "__call__" or options:
        raise _missing(f"np.{name}.{method}" if method != "__call__" else f"np.{name} with {', '.join(options)}")
    if name in _TESTS:
        return ufunc(*[_plain(x) for x in inputs])
    row = _UFUNCS.get(name, name)
    if row not in ops.TABLE:
        raise _missing(f"np.{name}")
    return ops.TABLE[row](*inputs)


_UNSET = ("dtype", "out", "initial", "where", "order", "casting", "subok", "kind", "stable")


def array_function(function, arguments: tuple, options: dict) -> Any:
    """Return the result of a NumPy function that is not a ufunc, with gradients."""
    name = function.__name__
    full_name = f"{function.__module__}.{name}".replace("numpy", "np", 1)
    if name in _QUESTIONS:
        return function(*map(_plain, arguments), **{key: _plain(x) for key, x in options.items()})
    found = _ADAPTED.get(name)
    if function.__module__ == "numpy.linalg":
        found = getattr(linalg, name) if name in _LINALG else None
    elif name in _SAME:
        found = _function(name)
    if found is None:
        raise _missing(full_name)
    options = {key: x for key, x in options.items() if x is not _NO_VALUE and not (key in _UNSET and x is None)}
    try:
        return found(*arguments, **options)
    except TypeError as error:
        if isinstance(error, AdjointError):
            raise
        raise MissingRuleError(f"{full_name} of a Value does not take these arguments: {error}") from None


_NO_VALUE = np._NoValue  # pyright: ignore[reportAttributeAccessIssue]


def _plain(x) -> Any:
    if isinstance(x, (list, tuple)):
        return type(x)(map(_plain, x))
    return x.data if isinstance(x, Value) else x


def _missing(what: str) -> MissingRuleError:
    return MissingRuleError(
        f"{what} is not differentiable in adjoint; use adjoint's functions, define an operation with adjoint.op or "
        "adjoint.custom_vjp, or pass v.data to compute without gradients"
    )
