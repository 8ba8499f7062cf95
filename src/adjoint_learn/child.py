"""Checks the program of a request: in a process of its own (see isolated.py), or in a worker of a browser.

The process reads its request from standard input and writes the result to a file.
"""

import contextlib
import json
import os
import sys
import traceback
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from adjoint.errors import CourseError
from adjoint_learn.answers import check_source
from adjoint_learn.checking import as_code
from adjoint_learn.course import load
from adjoint_learn.libraries import missing_library
from adjoint_learn.results import Result

_load = lru_cache(load)  # a worker of a browser checks several programs


def main() -> None:
    """Check the program of the request. The result appears in one step, or not at all."""
    request = json.load(sys.stdin)
    report = Path(request["report"])
    part = report.with_suffix(".part")
    result = result_of(request, lambda: _set_limits(request["memory"], request["seconds"]))
    # A lone surrogate, which a program may print, cannot be encoded.
    part.write_text(json.dumps(result.as_json(), ensure_ascii=False), encoding="utf-8", errors="replace")
    part.replace(report)
    with contextlib.suppress(Exception):  # the program may have closed its output
        sys.stdout.flush()
    os._exit(0)  # threads of the learner do not delay the result


def result_of(request: dict[str, Any], set_limits: Callable[[], None] = lambda: None) -> Result:
    """Check the program of a request, and return the result, whatever happens.

    `set_limits` limits a process of its own, when the libraries of the exercise are loaded. In a worker of a browser,
    the page ends a program that takes too long.
    """
    try:
        return _result(request, set_limits)
    except CourseError as error:
        return Result("stopped", f"{error}.")
    except BaseException as error:  # of this program, not of the learner's
        text = as_code("".join(traceback.format_exception_only(error)))
        return Result("stopped", f"The check was interrupted by {text}. Does your program change a part of Python?")


def _result(request: dict[str, Any], set_limits: Callable[[], None]) -> Result:
    course = _load(request["course"])
    exercise = course.exercise(request["exercise"])
    missing = missing_library(exercise)
    if missing:
        return Result("stopped", missing)
    for name in exercise.needs:
        __import__(name)  # before the limit on memory, which counts from here
    set_limits()
    modules = {name: (file, source) for name, (file, source) in request["modules"].items()}
    return check_source(exercise, request["source"], request["file"], modules, course)


def _set_limits(megabytes: int, seconds: float) -> None:
    """Limit the memory and the computing time of this process, where the system can do that.

    The memory may grow by `megabytes` from what it is now. The time ends programs that the time limit of the exercise
    cannot interrupt.
    """
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
        # RLIMIT_DATA counts private writable memory; libraries reserve much more address space than they use.
        kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
        used = _used_memory() if sys.platform == "linux" else 0
        resource.setrlimit(kind, (used + megabytes * 2**20, resource.getrlimit(kind)[1]))
        resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 2**20, 64 * 2**20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _used_memory() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    return 0
