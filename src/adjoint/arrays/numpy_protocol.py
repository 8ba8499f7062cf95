"""NumPy's functions on Values: `np.exp(v)`, `np.sum(v, axis=0)`, `array @ v` give Values with gradients.

A function of NumPy is looked up by its name in the tables of `numpy_names.py`. A function without a rule raises an
error: its result would have no history, and the gradient would be lost silently.
"""

import functools
import importlib
from collections.abc import Callable

import numpy as np

from adjoint.arrays.axes import shape_of
from adjoint.arrays.functions import products, special_functions
from adjoint.arrays.functions.indexing import where
from adjoint.arrays.functions.shaping import reshape
from adjoint.arrays.numpy_arguments import IRRELEVANT, NO_VALUE, call_as_numpy, cast
from adjoint.arrays.numpy_names import FUNCTIONS, LINALG, METHODS, QUESTIONS, UFUNCS
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import AdjointError, MissingRuleError


def array_ufunc(ufunc, method: str, inputs: tuple, options: dict) -> object:
    """Return the result of `ufunc(*inputs)`, or of a method of it, with gradients."""
    name: str = ufunc.__name__
    if method == "__call__" and not options:
        return _apply_ufunc(ufunc, name, inputs)
    if name in QUESTIONS:
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
    if full_name in METHODS:
        options = {key: x for key, x in options.items() if key not in IRRELEVANT}
        return _find(method, METHODS[full_name])(*inputs, **{"axis": 0, **options})
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
    if name in QUESTIONS:
        return ufunc(*[_plain(x) for x in inputs])
    row = ops.TABLE.get(UFUNCS.get(name, name))
    if row is not None:
        return row(*inputs)
    if name in FUNCTIONS or name in special_functions.__all__:  # scipy.special has ufuncs too, under the same names
        return _find(name, FUNCTIONS.get(name, "special_functions"))(*inputs)
    raise _missing(f"np.{name}")


def _apply_where(ufunc, name: str, inputs: tuple, mask) -> object:
    """Return a ufunc of some of the elements, and 0 for the others, where NumPy leaves what was in memory.

    The others are replaced before, so that a pole among them, as of log at 0, does not make the gradient NaN.
    """
    return where(mask, _apply_ufunc(ufunc, name, tuple(where(mask, x, 1.0) for x in inputs)), 0.0)


def array_function(function, arguments: tuple, options: dict) -> object:
    """Return the result of a NumPy function that is not a ufunc, with gradients."""
    name = function.__name__
    if name in QUESTIONS:
        return function(*map(_plain, arguments), **{key: _plain(x) for key, x in options.items()})
    full_name = f"{function.__module__}.{name}".replace("numpy", "np", 1)
    if function.__module__ == "numpy.fft":
        return _fourier(name, full_name, arguments, options)
    table = LINALG if function.__module__ == "numpy.linalg" else FUNCTIONS
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
