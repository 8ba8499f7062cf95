"""Errors for code that jit cannot compile: which line, why, and what to write instead."""

import linecache
import os
import sys
from types import FrameType

from adjoint.compile.jax_library import load_jax
from adjoint.compile.reachable import Reach
from adjoint.errors import TraceError


def explain_error(error: BaseException, reach: Reach) -> TraceError | None:
    """Return the error for a function that needs the numbers of a tracer; None if `error` is of another kind."""
    errors = load_jax().errors
    kinds = (errors.ConcretizationTypeError, errors.TracerArrayConversionError, errors.TracerIntegerConversionError,
             errors.NonConcreteBooleanIndexError, errors.UnexpectedTracerError)  # fmt: skip
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, kinds):
        cause = cause.__cause__ or cause.__context__
    where, code = _users_code(error)
    at = f"`{code}` ({where})" if code else where
    if cause is None:
        if isinstance(error, TypeError) and "immutable" in str(error):
            return TraceError(f"jit cannot compile {at}: {str(error).splitlines()[0]}")
        return None
    if isinstance(cause, errors.UnexpectedTracerError):
        return TraceError(
            f"jit: {at} uses an array from an earlier trace, which was kept in a place that jit does not see; let the "
            "function return it instead"
        )
    if isinstance(cause, errors.NonConcreteBooleanIndexError):
        what = "selects with a mask, so the shape of the result depends on numbers"
    elif isinstance(cause, errors.TracerBoolConversionError):
        what = "has control flow that depends on a number"
    elif isinstance(cause, errors.TracerArrayConversionError):
        what = "needs a NumPy array (adjoint's own functions, such as adjoint.sqrt, do not)"
    else:
        what = "needs the number itself"
    numbers = [place.path for place in reach.places if place.kind == "number"]
    static = f", as in static_argnames={numbers[0]!r}" if numbers else ""
    return TraceError(
        f"jit cannot compile {at}: it {what}, but only shapes and dtypes are known during tracing. To "
        "choose between values, write adjoint.where(condition, a, b). To make an argument a plain Python value, name "
        f"it in static_argnames{static}"
    )


_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


def _is_users(filename: str) -> bool:
    libraries = [os.path.dirname(sys.modules[name].__file__ or "") + os.sep for name in ("jax", "numpy")]
    return not filename.startswith((_PACKAGE, "<", *libraries))


def _users_code(error: BaseException) -> tuple[str, str]:
    """Return file and number of the innermost line of user code in a traceback, and its text."""
    where, code, step = "a function", "", error.__traceback__
    while step is not None:
        filename, number = step.tb_frame.f_code.co_filename, step.tb_lineno
        if _is_users(filename):
            where = f"{os.path.basename(filename)}:{number}"
            code = linecache.getline(filename, number, step.tb_frame.f_globals).strip()
        step = step.tb_next
    return where, code


def users_line(frame: FrameType) -> str:
    """Return file and number of the innermost line of user code, from a frame outward."""
    while frame.f_back and not _is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
