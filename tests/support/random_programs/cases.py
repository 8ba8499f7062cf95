"""Lines of random programs from the cases of the test files: a function, its arguments, and the same in PyTorch.

A case draws arrays of certain shapes. Here it receives results of the program where the shapes agree.
"""

import functools
import importlib.util
import random
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arrays import Draw, Problem, as_tensor, to_numpy
from hypothesis import HealthCheck, given, settings, strategies as st

from random_programs.build import Builder, Node

torch = pytest.importorskip("torch")
TESTS = Path(__file__).resolve().parents[2]


@functools.cache
def all_cases() -> tuple[tuple[str, dict], ...]:
    """Return each case of each table of cases in the test files: its name, and its table."""
    found: dict[int, tuple[str, dict]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        if "@case(" in path.read_text(encoding="utf-8"):
            for table in vars(_module(path)).values():
                if isinstance(table, dict) and _is_table(table):
                    for name in table:
                        found[id(table[name]), name] = name, table
    return tuple(found.values())


def _is_table(x: dict) -> bool:
    return bool(x) and all(
        isinstance(name, str) and callable(draws) and getattr(draws, "__name__", "") == "_" for name, draws in x.items()
    )


def _module(path: Path):
    name = f"cases_of_{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


class ProgramDraw(Draw):
    """The random choices of a case within a program: its arrays are results of the program where shapes agree."""

    def __init__(self, draw, build: Builder):
        super().__init__(draw, "generic", "float64")
        self.build, self.used = build, []

    def shape(self, least: int = 0, most: int = 3, min_side: int = 0) -> tuple[int, ...]:
        fits = [
            node.shape
            for node in self.build.nodes[-4:]
            if least <= len(node.shape) <= most and min((*node.shape, 9)) >= min_side and node.value.size < 60
        ]
        if fits and self.build.chance(0.7):
            return self.build.one_of(*fits)
        return super().shape(least, most, min_side)

    def array(self, shape=None, low: float = -2.0, high: float = 2.0, special=None) -> np.ndarray:
        shape = self.shape() if shape is None else tuple(shape)
        low, high = (-20.0, 20.0) if (low, high) == (-2.0, 2.0) else (low, high)
        fits = [
            node
            for node in self.build.nodes
            if node.shape == shape
            and node.value.size
            and low <= node.value.min()
            and node.value.max() <= high
            and not any(node is other for _, other in self.used)
        ]
        if fits and self.build.chance(0.8):
            node = self.build.one_of(*fits)
            x = np.array(node.value)
            self.used.append((x, node))
            return x
        return super().array(shape, low if low > -20 else -2.0, high if high < 20 else 2.0)

    def source(self, x: np.ndarray) -> Node | None:
        """Return the result of the program that an array is, unless the case has changed it."""
        return next((node for y, node in self.used if y is x and np.array_equal(x, node.value)), None)


_drawing: dict = {}


@settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def _run_with_data(data):
    _drawing["found"] = _drawing["wanted"](data.draw)


def draw_from_bytes(wanted: Callable, seed: int | str) -> Any:
    """Return what a function of `draw` draws for a seed, or None if it rejects what it draws."""
    _drawing.clear()
    _drawing["wanted"] = wanted
    _run_with_data.hypothesis.fuzz_one_input(random.Random(seed).randbytes(1500))
    return _drawing.get("found")


def call(build: Builder) -> None:
    """Add a line with a case of a test file."""
    name, table = build.random.choice(all_cases())
    found = draw_problem(build, name, table)
    if found is None:
        return
    problem, draw = found
    if any(x.dtype != np.float64 or not np.isfinite(x).all() for x in problem.inputs):
        return
    nodes = [draw.source(x) or build.leaf_of(x) for x in problem.inputs]
    if not any(node.varies for node in nodes):
        return
    function = f"f{len(build.functions)}"
    build.functions[function] = problem.ours
    expected = in_torch(problem)
    line = f"{function}({', '.join(node.name for node in nodes)})"
    numbers = any(node.number for node in nodes)  # which have fewer methods than arrays
    build.add(line, tuple(nodes), expected, data_dependent=problem.by_mask, needs_arrays=numbers)


def draw_problem(build: Builder, name: str, table: dict) -> tuple[Problem, ProgramDraw] | None:
    """Return a problem of a case, and what it was drawn from."""

    def wanted(draw):
        own = ProgramDraw(draw, build)
        return table[name](name, own), own

    return draw_from_bytes(wanted, build.random.getrandbits(32))


def in_torch(problem: Problem) -> np.ndarray:
    """Return PyTorch's result."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        return to_numpy(problem.theirs(*map(as_tensor, problem.inputs)))
