"""Shared by the tests and the examples in docstrings: each draws the same random numbers in every run.

Weights without a seed come from Python's generator. A seed set by one test does not reach the next.
"""

import random
import sys


def pytest_runtest_setup() -> None:
    random.seed(0)


def pytest_runtest_teardown() -> None:
    randomness = sys.modules.get("adjoint.engine.randomness")
    if randomness:
        randomness._seeded.clear()
