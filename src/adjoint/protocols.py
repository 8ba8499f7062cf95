"""NumPy's functions on Values: `np.exp(v)`, `np.sum(v, axis=0)`, `array @ v` give Values with gradients.

A function of NumPy is looked up here by its name. One that has no rule raises: a result without history would
have no gradient, and nobody would notice.
"""

from typing import Any

import adjoint
from adjoint.errors import MissingRuleError

# Where NumPy calls it otherwise than adjoint does.
_UFUNCS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div", "power": "pow",
    "float_power": "pow", "negative": "neg", "absolute": "abs", "fabs": "abs", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "rint": "round",
}  # fmt: skip
_COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
_TESTS = ("isfinite", "isinf", "isnan", "signbit")
_FUNCTIONS = {
    "concatenate": "concat", "amax": "max", "amin": "min", "around": "round", "cumulative_sum": "cumsum",
    "cumulative_prod": "cumprod", "ravel": "flatten", "norm": "linalg.norm", "inv": "linalg.inv",
    "solve": "linalg.solve", "det": "linalg.det", "slogdet": "linalg.slogdet", "cholesky": "linalg.cholesky",
    "eigh": "linalg.eigh", "svd": "linalg.svd", "qr": "linalg.qr",
}  # fmt: skip
_KNOWN = (
    "sum mean prod var std max min argmax argmin cumsum cumprod reshape permute_dims transpose matrix_transpose "
    "swapaxes moveaxis squeeze expand_dims broadcast_to flip roll repeat tile pad concat stack split where clip take "
    "take_along_axis sort tril triu diagonal diag trace dot tensordot outer einsum round"
).split()
# What asks about an array and has no gradient.
_QUESTIONS = ("shape", "ndim", "size", "zeros_like", "ones_like", "empty_like", "full_like", "allclose",
              "array_equal", "isclose", "array_repr", "array_str", "array2string", "result_type", "iscomplexobj",
              "isrealobj", "count_nonzero", "any", "all", "argsort", "nonzero", "sign")  # fmt: skip


def array_ufunc(ufunc, method: str, inputs: tuple, options: dict) -> Any:
    """Return what `ufunc(*inputs)` is, with gradients."""
    name = ufunc.__name__
    out = options.pop("out", None)
    if out is not None:
        raise MissingRuleError(
            f"np.{name}(…, out=…), or an in-place operator of an array with a Value, would write a result without "
            "history into a plain array; write array = array + v"
        )
    options.pop("dtype", None) if options.get("dtype") is None else None
    if method == "reduce" and name in ("add", "multiply", "maximum", "minimum"):
        reduction = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}[name]
        options = {key: x for key, x in options.items() if key in ("axis", "keepdims") and x is not None}
        return getattr(adjoint, reduction)(*inputs, **{"axis": 0, **options})
    if method != "__call__" or options:
        what = f"np.{name}.{method}" if method != "__call__" else f"np.{name} with {', '.join(options)}"
        raise _missing(what, inputs)
    if name in _COMPARISONS or name in _TESTS:
        return ufunc(*[_plain(x) for x in inputs])
    if name == "matmul":
        return adjoint.matmul(*inputs)
    found = getattr(adjoint, _UFUNCS.get(name, name), None)
    if found is None or name not in _UFUNCS and name not in adjoint.ops.TABLE:
        raise _missing(f"np.{name}", inputs)
    return found(*inputs)


def array_function(function, arguments: tuple, options: dict) -> Any:
    """Return what a function of NumPy that is no ufunc gives, with gradients."""
    name = function.__name__
    if name in _QUESTIONS:
        return function(*map(_plain, arguments), **{key: _plain(x) for key, x in options.items()})
    found: Any = None
    if name in _KNOWN or name in _FUNCTIONS:
        found = adjoint
        for part in _FUNCTIONS.get(name, name).split("."):
            found = getattr(found, part)
    if found is None:
        raise _missing(f"np.{name}", arguments)
    options = {key: x for key, x in options.items() if x is not None and x is not _NO_VALUE()}
    try:
        return found(*arguments, **options)
    except TypeError as error:
        if isinstance(error, adjoint.errors.AdjointError):
            raise
        raise MissingRuleError(f"np.{name} of a Value does not take these arguments: {error}") from None


def _NO_VALUE():
    import numpy as np

    return np._NoValue  # pyright: ignore[reportAttributeAccessIssue]


def _plain(x) -> Any:
    if isinstance(x, (list, tuple)):
        return type(x)(map(_plain, x))
    return x.data if isinstance(x, adjoint.Value) else x


def _missing(what: str, inputs) -> MissingRuleError:
    return MissingRuleError(
        f"{what} has no rule here, so its gradient would be lost; write it in adjoint's functions, make an operation "
        "with adjoint.op or adjoint.custom_vjp, or take v.data to go on without gradients"
    )
