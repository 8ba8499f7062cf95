"""Errors for code that jit cannot compile: which line, why, and what to write instead."""

import linecache
import os
import re
import sys
import sysconfig
from collections.abc import Sequence
from types import FrameType

from adjoint.errors import TraceError


def needs_numbers_error(at: str, what: str, numbers: Sequence[str]) -> TraceError:
    """Return the error for code that needs a number while only its type is known.

    `at` is the line, `what` says what the code does, and `numbers` are the names of arguments that are numbers.
    """
    static = f", as in static_argnames={numbers[0]!r}" if numbers else ""
    return TraceError(
        f"jit cannot compile {at}: it {what}, but only shapes and dtypes are known during tracing. To "
        "choose between values, write adjoint.where(condition, a, b). To make an argument a plain Python value, name "
        f"it in static_argnames{static}"
    )


_HINTS = {
    "number": (
        "needs the number itself",
        "Use adjoint's functions instead of those of math and Python: adjoint.sqrt(x), adjoint.cos(x), "
        "adjoint.round(x). What needs the number can be computed outside of the function: pass it as an argument, or "
        "return the number",
    ),
    "condition": (
        "decides by a number",
        "To choose between values, write adjoint.where(condition, a, b), adjoint.minimum(a, b) or "
        "adjoint.maximum(a, b). To stop or to compare between calls, return the number and decide outside",
    ),
    "index": (
        "uses a number as an index or a count",
        "To choose an item by a number, write adjoint.where(i == k, item, other)",
    ),
    "text": ("makes a text of a number", "Return the number, and print it outside of the function"),
}


def explain_need(error: Exception, numbers: Sequence[str]) -> TraceError | None:
    """Return the error for code that needs a number while it is recorded; None if `error` is of another kind.

    `numbers` are the paths of arguments that are numbers.
    """
    need = getattr(error, "need", "")
    if need not in _HINTS:
        return None
    what, hint = _HINTS[need]
    names = dict.fromkeys(re.split(r"\W", path)[0] for path in numbers)
    if need == "index" and names:
        hint += f". Or name the argument, to have a program for each value of it: static_argnames={next(iter(names))!r}"
    return TraceError(
        f"jit cannot compile {line_of_error(error)}: it {what}, which is not known while jit records the function. "
        + hint
    )


_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_STANDARD_LIBRARY = sysconfig.get_path("stdlib") + os.sep


def _is_users(filename: str) -> bool:
    found = [sys.modules.get(name) for name in ("jax", "numpy")]
    libraries = [os.path.dirname(module.__file__ or "") + os.sep for module in found if module is not None]
    return not filename.startswith((_PACKAGE, "<", _STANDARD_LIBRARY, *libraries))


def line_of_error(error: BaseException) -> str:
    """Return text, file and number of the innermost line of user code in a traceback."""
    where, code, step = "a function", "", error.__traceback__
    while step is not None:
        filename, number = step.tb_frame.f_code.co_filename, step.tb_lineno
        if _is_users(filename):
            where = f"{os.path.basename(filename)}:{number}"
            code = linecache.getline(filename, number, step.tb_frame.f_globals).strip()
        step = step.tb_next
    return f"`{code}` ({where})" if code else where


def users_line(frame: FrameType) -> str:
    """Return file and number of the innermost line of user code, from a frame outward."""
    while frame.f_back and not _is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
