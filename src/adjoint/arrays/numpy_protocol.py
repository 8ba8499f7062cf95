"""NumPy's functions on Values: `np.exp(v)`, `np.sum(v, axis=0)`, `array @ v` give Values with gradients.

A function of NumPy is looked up by its name in the tables below. A function without a rule raises an error: its result
would have no history, and the gradient would be lost silently.
"""

import functools
import importlib
from collections.abc import Callable

import numpy as np

from adjoint.arrays.axes import shape_of
from adjoint.arrays.functions import products
from adjoint.arrays.functions.indexing import where
from adjoint.arrays.functions.shaping import reshape
from adjoint.arrays.numpy_arguments import IRRELEVANT, NO_VALUE, call_as_numpy, cast
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
# its name there if it is another. `numpy_arguments.py` calls them; `numpy_forms` has those with NumPy's own parameters.
_FUNCTIONS = {
    "amax": "numpy_forms.max",
    "amin": "numpy_forms.min",
    "append": "stacking",
    "argmax": "reductions",
    "argmin": "reductions",
    "around": "numpy_forms.round",
    "array_split": "stacking",
    "astype": "numpy_forms",
    "atleast_1d": "stacking",
    "atleast_2d": "stacking",
    "atleast_3d": "stacking",
    "average": "statistics",
    "block": "stacking",
    "broadcast_arrays": "stacking",
    "broadcast_to": "shaping",
    "choose": "selection",
    "clip": "numpy_forms",
    "column_stack": "stacking",
    "compress": "numpy_forms",
    "concat": "shaping",
    "concatenate": "shaping.concat",
    "conjugate": "numpy_forms.real",
    "convolve": "signals",
    "copy": "numpy_forms",
    "corrcoef": "statistics",
    "correlate": "signals",
    "cov": "statistics",
    "cross": "vector_products",
    "cumprod": "reductions",
    "cumsum": "reductions",
    "cumulative_prod": "numpy_forms",
    "cumulative_sum": "numpy_forms",
    "deg2rad": "elementwise",
    "degrees": "elementwise.rad2deg",
    "delete": "arranging",
    "diag": "indexing",
    "diagflat": "numpy_forms",
    "diagonal": "numpy_forms",
    "diff": "calculus",
    "divmod": "elementwise",
    "dot": "products",
    "dsplit": "stacking",
    "dstack": "stacking",
    "ediff1d": "calculus",
    "einsum": "products",
    "expand_dims": "shaping",
    "extract": "numpy_forms",
    "fix": "numpy_forms",
    "flip": "shaping",
    "fliplr": "arranging",
    "flipud": "arranging",
    "fmax": "elementwise",
    "fmin": "elementwise",
    "full_like": "numpy_forms",
    "geomspace": "arranging",
    "gradient": "calculus",
    "heaviside": "elementwise",
    "hsplit": "stacking",
    "hstack": "stacking",
    "i0": "special",
    "imag": "numpy_forms",
    "inner": "vector_products",
    "insert": "arranging",
    "interp": "calculus",
    "kron": "vector_products",
    "linspace": "numpy_forms",
    "logaddexp2": "elementwise",
    "logspace": "arranging",
    "matrix_transpose": "shaping",
    "matvec": "vector_products",
    "max": "numpy_forms",
    "mean": "numpy_forms",
    "median": "statistics",
    "meshgrid": "arranging",
    "min": "numpy_forms",
    "moveaxis": "shaping",
    "nan_to_num": "elementwise",
    "nancumprod": "nan_statistics",
    "nancumsum": "nan_statistics",
    "nanmax": "nan_statistics",
    "nanmean": "nan_statistics",
    "nanmedian": "nan_statistics",
    "nanmin": "nan_statistics",
    "nanpercentile": "nan_statistics",
    "nanprod": "nan_statistics",
    "nanquantile": "nan_statistics",
    "nanstd": "nan_statistics",
    "nansum": "nan_statistics",
    "nanvar": "nan_statistics",
    "outer": "products",
    "pad": "numpy_forms",
    "partition": "sorting",
    "percentile": "statistics",
    "permute_dims": "shaping",
    "polyval": "polynomials",
    "positive": "elementwise",
    "prod": "numpy_forms",
    "ptp": "statistics",
    "quantile": "statistics",
    "rad2deg": "elementwise",
    "radians": "elementwise.deg2rad",
    "ravel": "numpy_forms",
    "real": "numpy_forms",
    "real_if_close": "numpy_forms",
    "reciprocal": "elementwise",
    "repeat": "indexing",
    "reshape": "numpy_forms",
    "resize": "arranging",
    "roll": "shaping",
    "rollaxis": "arranging",
    "rot90": "arranging",
    "round": "numpy_forms",
    "select": "selection",
    "sinc": "elementwise",
    "sliding_window_view": "arranging",
    "sort": "sorting",
    "split": "shaping",
    "squeeze": "shaping",
    "stack": "shaping",
    "std": "numpy_forms",
    "sum": "numpy_forms",
    "swapaxes": "shaping",
    "take": "numpy_forms",
    "take_along_axis": "indexing",
    "tensordot": "products",
    "tile": "shaping",
    "trace": "numpy_forms",
    "transpose": "numpy_forms",
    "trapezoid": "calculus",
    "tril": "indexing",
    "triu": "indexing",
    "unstack": "stacking",
    "vander": "polynomials",
    "var": "numpy_forms",
    "vdot": "vector_products",
    "vecdot": "vector_products",
    "vecmat": "vector_products",
    "vsplit": "stacking",
    "vstack": "stacking",
    "where": "numpy_forms",
}

# The ufuncs of scipy.special, which `functions/special.py` has under the same name.
_SPECIAL = {
    "beta",
    "betainc",
    "betaln",
    "entr",
    "erfc",
    "erfinv",
    "expit",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammaln",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "kl_div",
    "log_expit",
    "log_ndtr",
    "logit",
    "ndtr",
    "ndtri",
    "psi",
    "rel_entr",
    "xlog1py",
    "xlogy",
}

# The functions of numpy.linalg, in the same way.
_LINALG = {
    "cholesky": "linalg",
    "cond": "matrix_functions",
    "cross": "matrix_functions",
    "det": "linalg",
    "diagonal": "numpy_forms.matrix_diagonal",
    "eigh": "linalg",
    "eigvalsh": "linalg",
    "inv": "linalg",
    "lstsq": "matrix_functions",
    "matmul": "products",
    "matrix_norm": "linalg",
    "matrix_power": "linalg",
    "matrix_transpose": "shaping",
    "multi_dot": "matrix_functions",
    "norm": "linalg",
    "outer": "products",
    "pinv": "linalg",
    "qr": "linalg",
    "slogdet": "linalg",
    "solve": "linalg",
    "svd": "linalg",
    "svdvals": "linalg",
    "tensordot": "products",
    "trace": "numpy_forms.matrix_trace",
    "vecdot": "matrix_functions",
    "vector_norm": "matrix_functions",
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
    "array_equiv",
    "array_repr",
    "array_str",
    "can_cast",
    "common_type",
    "count_nonzero",
    "diag_indices_from",
    "digitize",
    "empty_like",
    "equal",
    "flatnonzero",
    "greater",
    "greater_equal",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "less",
    "less_equal",
    "lexsort",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matrix_rank",
    "may_share_memory",
    "min_scalar_type",
    "nanargmax",
    "nanargmin",
    "ndim",
    "nonzero",
    "not_equal",
    "ones_like",
    "result_type",
    "searchsorted",
    "shape",
    "shares_memory",
    "signbit",
    "size",
    "tril_indices_from",
    "triu_indices_from",
    "zeros_like",
}

# Methods of ufuncs, in the same way.
_METHODS = {
    "add.accumulate": "reductions.cumsum",
    "add.reduce": "numpy_forms.sum",
    "logaddexp.accumulate": "cumulative.logcumsumexp",
    "logaddexp.reduce": "reductions.logsumexp",
    "maximum.accumulate": "numpy_forms.cummax",
    "maximum.reduce": "numpy_forms.max",
    "minimum.accumulate": "numpy_forms.cummin",
    "minimum.reduce": "numpy_forms.min",
    "multiply.accumulate": "reductions.cumprod",
    "multiply.reduce": "numpy_forms.prod",
}


def array_ufunc(ufunc, method: str, inputs: tuple, options: dict) -> object:
    """Return the result of `ufunc(*inputs)`, or of a method of it, with gradients."""
    name: str = ufunc.__name__
    if method == "__call__" and not options:
        return _apply_ufunc(ufunc, name, inputs)
    if name in _QUESTIONS:
        return getattr(ufunc, method)(*map(_plain, inputs), **{key: _plain(x) for key, x in options.items()})
    if options.get("out") is not None:
        raise MissingRuleError(
            f"np.{name}(…, out=…), or an in-place operator of an array with a Value, would write a result without "
            "history into a plain array; write array = array + v"
        )
    options = {key: x for key, x in options.items() if (x is not None and x is not NO_VALUE) or key == "axis"}
    full_name = name if method == "__call__" else f"{name}.{method}"
    if "dtype" in options:
        inputs = tuple(cast(inputs, options.pop("dtype"), options.get("casting", "same_kind")))
    if full_name in _METHODS:
        options = {key: x for key, x in options.items() if key not in IRRELEVANT}
        return _find(method, _METHODS[full_name])(*inputs, **{"axis": 0, **options})
    mask = options.get("where", True)
    unknown = options.keys() - IRRELEVANT - {"where"}
    if method == "outer" and not unknown and mask is True:
        x, z = inputs
        return _apply_ufunc(ufunc, name, (reshape(x, (*shape_of(x), *(1,) * len(shape_of(z)))), z))
    if method != "__call__" or unknown:
        raise _missing(f"np.{full_name} with {', '.join(sorted(unknown))}" if unknown else f"np.{full_name}")
    return _apply_ufunc(ufunc, name, inputs) if mask is True else _apply_where(ufunc, name, inputs, _plain(mask))


def _apply_ufunc(ufunc, name: str, inputs: tuple) -> object:
    if ufunc is np.matmul:
        return products.matmul(*inputs)
    if name in _QUESTIONS:
        return ufunc(*[_plain(x) for x in inputs])
    row = ops.TABLE.get(_UFUNCS.get(name, name))
    if row is not None:
        return row(*inputs)
    if name in _FUNCTIONS or name in _SPECIAL:
        return _find(name, _FUNCTIONS.get(name, "special"))(*inputs)
    raise _missing(f"np.{name}")


def _apply_where(ufunc, name: str, inputs: tuple, mask) -> object:
    """Return a ufunc of some of the elements, and 0 for the others, where NumPy leaves what was in memory.

    The others are replaced before, so that a pole among them, as of log at 0, does not make the gradient NaN.
    """
    return where(mask, _apply_ufunc(ufunc, name, tuple(where(mask, x, 1.0) for x in inputs)), 0.0)


def array_function(function, arguments: tuple, options: dict) -> object:
    """Return the result of a NumPy function that is not a ufunc, with gradients."""
    name = function.__name__
    if name in _QUESTIONS:
        return function(*map(_plain, arguments), **{key: _plain(x) for key, x in options.items()})
    full_name = f"{function.__module__}.{name}".replace("numpy", "np", 1)
    if function.__module__ == "numpy.fft":
        return _fourier(name, full_name, arguments, options)
    table = _LINALG if function.__module__ == "numpy.linalg" else _FUNCTIONS
    if name not in table or function.__module__ not in ("numpy", "numpy.linalg", "numpy.lib.stride_tricks"):
        raise _missing(full_name)
    try:
        return call_as_numpy(function, _find(name, table[name]), arguments, options)
    except TypeError as error:
        if isinstance(error, AdjointError):
            raise
        raise MissingRuleError(f"{full_name} of a Value does not take these arguments: {error}") from None


def _fourier(name: str, full_name: str, arguments: tuple, options: dict) -> object:
    from adjoint.arrays.functions import fourier

    if name in ("fftshift", "ifftshift"):
        return getattr(fourier, name)(*arguments, **options)
    ours = f"adjoint.fft.{name}" if name in fourier.__all__ else "adjoint.fft"
    raise MissingRuleError(
        f"{full_name} returns or takes complex numbers, which a Value cannot hold; use {ours}, where a spectrum is a "
        "pair of real arrays (see 'Complex numbers' in docs/arrays.md)"
    )


@functools.cache
def _find(name: str, place: str) -> Callable:
    """Return the function at a place of the table, such as "reductions" or "reductions.max"."""
    module, _, other = place.partition(".")
    return getattr(importlib.import_module(f"adjoint.arrays.functions.{module}"), other or name)


def _plain(x):
    if isinstance(x, (list, tuple)):
        return type(x)(map(_plain, x))
    return x.data if isinstance(x, Value) else x


def _missing(what: str) -> MissingRuleError:
    return MissingRuleError(
        f"{what} is not differentiable in adjoint; use adjoint's functions, define an operation with adjoint.op or "
        "adjoint.custom_vjp, or pass v.data to compute without gradients"
    )
