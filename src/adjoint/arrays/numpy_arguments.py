"""NumPy's arguments for adjoint's functions: which are passed on, by position or by name, and which do not matter."""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from adjoint.arrays.functions.shaping import astype
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError

NO_VALUE = np._NoValue  # pyright: ignore[reportAttributeAccessIssue]

# Arguments that do not change the numbers of a result.
IRRELEVANT = {
    "casting",
    "copy",
    "device",
    "kind",
    "optimize",
    "order",
    "stable",
    "subok",
}


def call_as_numpy(function: Callable, found: Callable, arguments: tuple, options: dict) -> object:
    """Call our function as NumPy's was called.

    The arguments that NumPy requires are passed by position, since their names differ; the optional ones by name, with
    NumPy's default. An optional argument that our function does not have must be left at its default; a `dtype` casts
    the operands instead.
    """
    parameters = _parameters(function, found)
    positional, given = list(arguments), options
    if parameters.by_position is not None:
        given = dict(zip(parameters.by_position, arguments)) | options
        positional = [given.pop(key) for key in parameters.required if key in given]
    named = dict(parameters.passed)
    for key, x in given.items():
        if key in parameters.ours:
            if x is not NO_VALUE:
                named[key] = x
        elif not _is_default(x, parameters.defaults.get(key)) and (key not in IRRELEVANT or key == "casting"):
            named[key] = x
    casting = named.pop("casting", "same_kind") if "casting" not in parameters.ours else "same_kind"
    if "dtype" in named and "dtype" not in parameters.ours:
        positional = cast(positional, named.pop("dtype"), casting)
    return found(*positional, **named)


class _Parameters(NamedTuple):
    """How a function of NumPy is called, and what of it ours takes."""

    by_position: tuple[str, ...] | None  # the names of arguments by position; None if there may be any number of them
    required: tuple[str, ...]
    defaults: dict[str, object]
    ours: frozenset[str]  # the names of our parameters
    passed: dict[str, object]  # NumPy's defaults for them


@functools.cache
def _parameters(function: Callable, found: Callable) -> _Parameters:
    theirs, ours = _signature(function), _signature(found)
    names = frozenset(key for key, p in ours.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY))
    if any(p.kind is p.VAR_POSITIONAL for p in theirs.values()) or not theirs:
        by_position = None
    else:
        by_position = tuple(key for key, p in theirs.items() if p.kind is not p.KEYWORD_ONLY)
    required = [key for key, p in theirs.items() if p.default is p.empty or p.kind is p.POSITIONAL_ONLY]
    defaults = {key: p.default for key, p in theirs.items() if key not in required}
    passed = {key: x for key, x in defaults.items() if key in names and x is not NO_VALUE}
    return _Parameters(by_position, tuple(required), defaults, names, passed)


def _signature(function: Callable) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a function; none for a function in C that does not name them."""
    try:
        return inspect.signature(function).parameters
    except ValueError:
        return {}


def _is_default(given: object, default: object) -> bool:
    return (
        given is default
        or given is NO_VALUE
        or (isinstance(given, (int, str)) and type(given) is type(default) and given == default)
    )


def cast(operands, dtype, casting: Any) -> list:
    """Return operands, also those in lists, in another floating dtype."""
    found = list(operands)
    for i, x in enumerate(found):
        if isinstance(x, (list, tuple)):
            found[i] = cast(x, dtype, casting)
        elif isinstance(x, (Value, np.ndarray)):
            found[i] = astype(x, dtype)
            if not np.can_cast(x.dtype, dtype, casting):
                raise ArgumentError(f"cannot cast {x.dtype} to {np.dtype(dtype)} with casting={casting!r}")
    return found
