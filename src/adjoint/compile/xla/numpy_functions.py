"""NumPy's functions of tracers: `np.exp(x)`, `np.where(x > 0, x, 0)`, `np.concatenate([x, y])` in a compiled function.

JAX has functions of the same names, with rules of its own for dtypes. So NumPy says what dtype a result has: a ufunc by
`resolve_dtypes`, another function by being called with arrays of ones of the same shapes and dtypes, which take no
memory. JAX computes.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from adjoint.errors import TraceError
from adjoint.errors.interruptions import raise_interruption
from adjoint.errors.optional_jax import load_jax
from adjoint.transforms.trees import tree_leaves, tree_map

# Functions whose results follow from the shapes and dtypes of arrays alone: NumPy computes them.
_OF_SHAPES = {
    "empty_like",
    "full_like",
    "iscomplexobj",
    "isrealobj",
    "ndim",
    "ones_like",
    "shape",
    "size",
    "zeros_like",
}
_IN_PLACE = {"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple, options: dict[str, Any]) -> Any:
    """Return the result of a ufunc of tracers, or of one of its methods such as `np.add.reduce`."""
    name = ufunc.__name__
    if any(x is not None for x in options.pop("out", ())) or method == "at":
        raise _written_error(f"np.{name}(…, out=…), or an in-place operator of a NumPy array,")
    dtype, function = options.pop("dtype", None), getattr(load_jax().numpy, _JAX_NAMES.get(name, name), None)
    if function is None or (method != "__call__" and not hasattr(function, method)):
        raise _missing_error(f"np.{name}" + ("" if method == "__call__" else f".{method}"))
    if method != "__call__":
        return _ask_numpy(getattr(ufunc, method), getattr(function, method), inputs, options)
    mask = options.pop("where", True)
    if mask is not True or options.keys() - {"casting", "order", "subok"}:
        raise _missing_error(f"np.{name} with {', '.join(['where', *options] if mask is not True else options)}")
    try:
        given = [dtype if dtype is not None else _dtype_of(x) for x in inputs]
        *into, out = ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))[: ufunc.nin + 1]
    except TypeError:  # NumPy has no such operation: JAX raises an error too
        return function(*inputs)
    for x, its in zip(inputs, into):
        _require_fitting(x, its)
    found = function(*map(_cast, inputs, into))
    return tree_map(lambda y: _cast(y, out) if y.dtype.kind == out.kind else y, found)


def apply_function(function: Callable, arguments: tuple, options: dict[str, Any]) -> Any:
    """Return the result of a function of NumPy that is not a ufunc."""
    name = function.__name__
    full_name = f"{function.__module__}.{name}".replace("numpy", "np", 1)
    if name in _IN_PLACE:
        raise _written_error(full_name)
    if name in _OF_SHAPES and not any(map(_is_tracer, tree_leaves([arguments[1:], options]))):
        return function(*tree_map(_stand_in, arguments), **options)
    place = load_jax().numpy
    for part in function.__module__.split(".")[1:]:
        place = getattr(place, part, place) if part in ("linalg", "fft") else place
    found = getattr(place, name, None)
    if found is None:
        raise _missing_error(full_name)
    if name == "clip":
        for x in arguments[1:]:
            _require_fitting(x, getattr(arguments[0], "dtype", np.dtype(float)))
    return _ask_numpy(function, found, arguments, {k: x for k, x in options.items() if x is not np._NoValue})  # pyright: ignore[reportAttributeAccessIssue]


def _ask_numpy(function: Callable, of_jax: Callable, arguments: tuple, options: dict[str, Any]) -> Any:
    """Return what JAX computes, in the dtypes that NumPy's results have."""
    found = of_jax(*arguments, **options)
    try:
        with np.errstate(all="ignore"):
            expected = function(*tree_map(_stand_in, arguments), **tree_map(_stand_in, options))
    except Exception as error:  # the function needs other numbers than ones
        raise_interruption(error)
        return found
    pairs = list(zip(tree_leaves(found), map(np.asarray, tree_leaves(expected))))
    if any(_is_coarser(y, like) for y, like in pairs):  # JAX takes integers for floats of 32 bits, or adds small ones
        wide = np.result_type(*[like.dtype for _, like in pairs])
        wide = np.finfo(wide).dtype if wide.kind in "fc" else wide  # the parts of complex numbers
        given = [x for x in tree_leaves([arguments, options]) if _is_tracer(x)]
        if wide.kind == "f" or all(x.dtype.kind in "iub" for x in given):
            found = of_jax(*tree_map(lambda x: _cast(x, wide), arguments), **options)
    dtypes = iter([like.dtype for _, like in pairs])
    return tree_map(lambda y: _cast(y, next(dtypes)), found)


def _is_coarser(y: Any, like: np.ndarray) -> bool:
    """Return whether a result has fewer digits than NumPy's."""
    return hasattr(y, "dtype") and like.dtype.kind in "iufc" and y.dtype.itemsize < like.dtype.itemsize


def _require_fitting(x: Any, dtype: np.dtype) -> None:
    """Raise NumPy's error for a Python integer that the dtype of an array cannot hold."""
    if type(x) is int and dtype.kind in "iu":
        np.asarray(x, dtype)


def _stand_in(x: Any) -> Any:
    """Return an array like `x` that takes no memory: each element is 1."""
    return np.broadcast_to(np.ones((), x.dtype), x.shape) if _is_tracer(x) else x


def _is_tracer(x: Any) -> bool:
    return isinstance(x, load_jax().core.Tracer)


def _dtype_of(x: Any) -> Any:
    """Return the dtype of an operand, or the type of a Python number, as NumPy's rules take it."""
    if isinstance(x, (bool, np.bool_)):
        return np.dtype(bool)
    if type(x) in (int, float):
        return type(x)
    if _is_tracer(x) and getattr(x.aval, "weak_type", False):
        return int if x.dtype.kind == "i" else float
    return np.asarray(x).dtype if not hasattr(x, "dtype") else x.dtype


def _cast(x: Any, dtype: Any) -> Any:
    if not hasattr(x, "dtype") or x.dtype == dtype:
        return x
    return load_jax().numpy.asarray(x).astype(dtype)


def _written_error(what: str) -> TraceError:
    return TraceError(
        f"{what} writes into an array, and arrays cannot change while jit traces; use the result instead: x = x + y"
    )


def _missing_error(what: str) -> TraceError:
    return TraceError(
        f"jit cannot compile {what} of an array: JAX has no such function; use one of adjoint or of jax.numpy"
    )


_JAX_NAMES = {"absolute": "abs", "conjugate": "conj"}
