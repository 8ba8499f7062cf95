"""The package reads no name of NumPy that the NumPy at hand lacks; `make machines` asks the oldest one allowed."""

import ast
import functools
from pathlib import Path

import numpy as np

from adjoint.arrays.backends import NUMPY

SOURCES = Path(__file__).parents[1] / "src" / "adjoint"
# What rules read of another library's backend, once they know that they have it.
OF_OTHER_BACKENDS = {"jax", "platform", "torch"}


@functools.cache
def _names() -> tuple[set[str], set[str]]:
    """Return what the package reads of `np`, and what its rules read of a backend `m`."""
    of_numpy, of_backend = set(), set()
    for path in SOURCES.rglob("*.py"):
        if "course" in path.parts:  # programs of learners
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        of_numpy |= _attributes(tree, "np")
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.Lambda)) and [a.arg for a in node.args.args[:1]] == ["m"]:
                of_backend |= {name.removeprefix("xp.") for name in _attributes(node, "m")}
    return of_numpy, of_backend


def _attributes(tree: ast.AST, root: str) -> set[str]:
    """Return what is read of a name: `linalg.norm` of `np.linalg.norm(x)` for the root `np`."""
    found = set()
    for node in ast.walk(tree):
        names = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if names and isinstance(node, ast.Name) and node.id == root:
            found.add(".".join(reversed(names)))
    return found


def _lacks(root: object, dotted: str) -> bool:
    for name in dotted.split("."):
        if not hasattr(root, name):
            return True
        root = getattr(root, name)
    return False


def test_numpy_has_each_name_that_the_package_reads_of_it():
    used, _ = _names()
    assert {"linalg.qr", "random.default_rng", "cumsum"} <= used
    assert sorted(name for name in used if _lacks(np, name)) == []


def test_the_backend_of_numpy_has_each_name_that_rules_read_of_a_backend():
    _, used = _names()
    assert {"cumulative_sum", "cumulative_prod", "take_along_axis"} <= used
    assert {name.split(".")[0] for name in used if _lacks(NUMPY, name)} == OF_OTHER_BACKENDS
