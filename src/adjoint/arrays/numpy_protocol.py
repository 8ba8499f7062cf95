"""NumPy's functions on Values: `np.exp(v)`, `np.sum(v, axis=0)`, `array @ v` give Values with gradients.

A function of NumPy is looked up by its name in the tables below. A function without a rule raises an error: its result
would have no history, and the gradient would be lost silently.
"""

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from adjoint.arrays.functions import products, reductions
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import AdjointError, MissingRuleError

# One line for each name, in alphabetical order.

# NumPy's ufuncs that are called otherwise in adjoint; the others have the name of a row of the table of operations.
_UFUNCS = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "divide": "div",
    "fabs": "abs",
    "float_power": "pow",
    "multiply": "mul",
    "negative": "neg",
    "power": "pow",
    "rint": "round",
    "subtract": "sub",
    "true_divide": "div",
}

# NumPy's functions, and ufuncs that are no row: the file of `arrays/functions` that has the function and, after a dot,
# its name there if it is another. The function is called as `_call` says; `numpy_forms` has those with NumPy's own
# parameters.
_FUNCTIONS = {
    "amax": "reductions.max",
    "amin": "reductions.min",
    "argmax": "reductions",
    "argmin": "reductions",
    "around": "numpy_forms.round",
    "broadcast_to": "shaping",
    "choose": "selection",
    "clip": "numpy_forms",
    "concat": "shaping",
    "concatenate": "shaping.concat",
    "cumprod": "reductions",
    "cumsum": "reductions",
    "cumulative_prod": "reductions.cumprod",
    "cumulative_sum": "reductions.cumsum",
    "diag": "indexing",
    "diagonal": "numpy_forms",
    "dot": "products",
    "einsum": "products",
    "expand_dims": "shaping",
    "flip": "shaping",
    "matrix_transpose": "shaping",
    "max": "reductions",
    "mean": "reductions",
    "min": "reductions",
    "moveaxis": "shaping",
    "outer": "products",
    "pad": "numpy_forms",
    "partition": "sorting",
    "permute_dims": "shaping",
    "prod": "reductions",
    "ravel": "shaping.flatten",
    "repeat": "indexing",
    "reshape": "shaping",
    "roll": "shaping",
    "round": "numpy_forms",
    "select": "selection",
    "sort": "sorting",
    "split": "shaping",
    "squeeze": "shaping",
    "stack": "shaping",
    "std": "reductions",
    "sum": "reductions",
    "swapaxes": "shaping",
    "take": "indexing",
    "take_along_axis": "indexing",
    "tensordot": "products",
    "tile": "shaping",
    "trace": "numpy_forms",
    "transpose": "numpy_forms",
    "tril": "indexing",
    "triu": "indexing",
    "var": "reductions",
    "where": "indexing",
}

# The functions of numpy.linalg, in the same way.
_LINALG = {
    "cholesky": "linalg",
    "det": "linalg",
    "eigh": "linalg",
    "eigvalsh": "linalg",
    "inv": "linalg",
    "matrix_norm": "linalg",
    "matrix_power": "linalg",
    "norm": "linalg",
    "pinv": "linalg",
    "qr": "linalg",
    "slogdet": "linalg",
    "solve": "linalg",
    "svd": "linalg",
    "svdvals": "linalg",
}

# Functions and ufuncs without a gradient: NumPy computes them from the data.
_QUESTIONS = {
    "all",
    "allclose",
    "any",
    "argpartition",
    "argsort",
    "argwhere",
    "array2string",
    "array_equal",
    "array_repr",
    "array_str",
    "count_nonzero",
    "empty_like",
    "equal",
    "full_like",
    "greater",
    "greater_equal",
    "isclose",
    "iscomplexobj",
    "isfinite",
    "isinf",
    "isnan",
    "isrealobj",
    "less",
    "less_equal",
    "ndim",
    "nonzero",
    "not_equal",
    "ones_like",
    "result_type",
    "shape",
    "signbit",
    "size",
    "zeros_like",
}

_REDUCTIONS = {
    "add": "sum",
    "maximum": "max",
    "minimum": "min",
    "multiply": "prod",
}


def array_ufunc(ufunc, method: str, inputs: tuple, options: dict) -> Any:
    """Return the result of `ufunc(*inputs)`, with gradients."""
    if ufunc is np.matmul and method == "__call__" and not options:
        return products.matmul(*inputs)
    name: str = ufunc.__name__
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
    if name in _QUESTIONS:
        return ufunc(*[_plain(x) for x in inputs])
    row = ops.TABLE.get(_UFUNCS.get(name, name))
    if row is not None:
        return row(*inputs)
    if name in _FUNCTIONS:
        return _find(name, _FUNCTIONS[name])(*inputs)
    raise _missing(f"np.{name}")


_UNSET = ("dtype", "out", "initial", "where", "order", "casting", "subok", "kind", "stable")


def array_function(function, arguments: tuple, options: dict) -> Any:
    """Return the result of a NumPy function that is not a ufunc, with gradients."""
    name = function.__name__
    if name in _QUESTIONS:
        return function(*map(_plain, arguments), **{key: _plain(x) for key, x in options.items()})
    full_name = f"{function.__module__}.{name}".replace("numpy", "np", 1)
    table = {"numpy": _FUNCTIONS, "numpy.linalg": _LINALG}.get(function.__module__, {})
    if name not in table:
        raise _missing(full_name)
    try:
        return _call(function, _find(name, table[name]), arguments, options)
    except TypeError as error:
        if isinstance(error, AdjointError):
            raise
        raise MissingRuleError(f"{full_name} of a Value does not take these arguments: {error}") from None


def _find(name: str, place: str) -> Callable:
    """Return the function at a place of the table, such as "reductions" or "reductions.max"."""
    module, _, other = place.partition(".")
    return getattr(importlib.import_module(f"adjoint.arrays.functions.{module}"), other or name)


def _call(function: Callable, found: Callable, arguments: tuple, options: dict) -> Any:
    """Call our function as NumPy's was called.

    The arguments that NumPy requires are passed by position, since their names differ; the optional ones by name, with
    NumPy's default. An optional argument that our function does not have must be left at its default.
    """
    signature = _signature(function)
    if signature is None:
        return found(*arguments, **options)
    ours = _signature(found)
    positional, named = [], {}
    bound = signature.bind(*arguments, **options)
    for key, parameter in signature.parameters.items():
        given = bound.arguments.get(key, parameter.default)
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += bound.arguments.get(key, ())
        elif parameter.kind is parameter.VAR_KEYWORD:
            named |= bound.arguments.get(key, {})
        elif parameter.default is parameter.empty:
            positional.append(given)
        elif given is _NO_VALUE:
            continue
        elif parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(given)
        elif (ours is not None and _takes(ours, key)) or not _is_default(given, parameter.default):
            named[key] = given
    return found(*positional, **named)


_NO_VALUE = np._NoValue  # pyright: ignore[reportAttributeAccessIssue]


def _takes(signature: inspect.Signature, name: str) -> bool:
    parameter = signature.parameters.get(name)
    return parameter is not None and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)


def _is_default(given: object, default: object) -> bool:
    return given is default or (isinstance(given, (int, str)) and type(given) is type(default) and given == default)


@functools.cache
def _signature(function: Callable) -> inspect.Signature | None:
    """Return the parameters of a function; None for a function in C that does not say."""
    try:
        return inspect.signature(function)
    except ValueError:
        return None


def _plain(x) -> Any:
    if isinstance(x, (list, tuple)):
        return type(x)(map(_plain, x))
    return x.data if isinstance(x, Value) else x


def _missing(what: str) -> MissingRuleError:
    return MissingRuleError(
        f"{what} is not differentiable in adjoint; use adjoint's functions, define an operation with adjoint.op or "
        "adjoint.custom_vjp, or pass v.data to compute without gradients"
    )
