"""Shared by the tests and the examples in docstrings: the same random numbers in every run, and the same surroundings.

Weights without a seed come from Python's generator. A seed set by one test does not reach the next.

Tests find the same environment wherever they run: no size and no colors of a terminal, a home folder that can be
written, and Ctrl-C that interrupts. A script starts `make test &` with Ctrl-C ignored, and programs inherit that. What
chooses the arithmetic, such as OPENBLAS_CORETYPE, stays: `make machines` sets it.
"""

import os
import random
import shutil
import signal
import sys
import tempfile

# Rich, matplotlib, Jupyter and our own command line read these.
OF_TERMINALS = (
    *("COLUMNS", "LINES", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"),
    *("TTY_COMPATIBLE", "TTY_INTERACTIVE", "JUPYTER_COLUMNS", "JUPYTER_LINES", "MPLBACKEND"),
)
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
