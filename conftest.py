"""Shared by the tests and the examples in docstrings: a seed set by one of them does not reach the next."""

import sys


def pytest_runtest_teardown() -> None:
    randomness = sys.modules.get("adjoint.engine.randomness")
    if randomness:
        randomness._seeded.clear()
