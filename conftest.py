"""Shared by the tests and the examples in docstrings: the same random numbers in every run, and the same surroundings.

Weights without a seed come from Python's generator. A seed set by one test does not reach the next.

Tests find the same environment wherever they run: no size and no colors of a terminal, a home folder that can be
written, and Ctrl-C that interrupts. A script starts `make test &` with Ctrl-C ignored, and programs inherit that. What
chooses the arithmetic, such as OPENBLAS_CORETYPE, stays: `make machines` sets it.

A test that needs a library which is not installed is skipped: `make check` runs without those of LIBRARIES.
"""

import os
import random
import shutil
import signal
import sys
import tempfile
from importlib.util import find_spec

import pytest

# Rich, matplotlib, Jupyter and our own command line read these.
OF_TERMINALS = (
    *("COLUMNS", "LINES", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"),
    *("TTY_COMPATIBLE", "TTY_INTERACTIVE", "JUPYTER_COLUMNS", "JUPYTER_LINES", "MPLBACKEND"),
)
# What tests compare with or show things in; `make test` installs all of them.
LIBRARIES = (
    "IPython",
    "jax",
    "matplotlib",
    "mpmath",
    "onnx",
    "pandas",
    "playwright",
    "scipy",
    "sklearn",
    "torch",
    "yaml",
)
MISSING = {name for name in LIBRARIES if find_spec(name) is None}
_homes: list[str] = []


def pytest_configure(config) -> None:
    if hasattr(config.option, "randomly_reset_seed"):  # pytest-randomly may choose the order, and no random numbers
        config.option.randomly_reset_seed = False


def pytest_sessionstart() -> None:
    for name in OF_TERMINALS:
        os.environ.pop(name, None)
    os.environ["TERM"] = "xterm"
    if not os.access(os.path.expanduser("~"), os.W_OK) or "HOME" not in os.environ:
        _homes.append(tempfile.mkdtemp(prefix="home-of-tests-"))
        os.environ["HOME"] = _homes[0]
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionfinish() -> None:
    for home in _homes:
        shutil.rmtree(home, ignore_errors=True)


def pytest_runtest_setup() -> None:
    random.seed(0)


def pytest_runtest_teardown() -> None:
    randomness = sys.modules.get("adjoint.engine.randomness")
    if randomness:
        randomness._seeded.clear()


def _is_missing(error: BaseException | None) -> bool:
    """Return whether Python, or adjoint with an error of its own, says that one of MISSING is needed."""
    if isinstance(error, ModuleNotFoundError):
        return (error.name or "").partition(".")[0] in MISSING
    return bool(MISSING) and type(error).__name__ == "MissingExtraError"


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    error = report.call.excinfo and report.call.excinfo.value.__cause__
    if report.failed and _is_missing(error):
        report.outcome, report.longrepr = "skipped", (str(collector.path), 0, f"Skipped: {error}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    try:
        return (yield)
    except Exception as error:
        if _is_missing(error):
            pytest.skip(str(error))
        raise
