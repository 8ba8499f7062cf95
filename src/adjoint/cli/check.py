"""`adjoint check`: compare the gradient of every operation with central differences."""

import argparse
import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from adjoint.arrays.functions.products import tensordot
from adjoint.cli.arguments import FAILED, OK, integer_from_0
from adjoint.cli.checks import tables
from adjoint.engine import ops
from adjoint.errors.text_table import table
from adjoint.transforms.gradient_check import check_gradients


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `adjoint check`."""
    command.add_argument("--seed", type=integer_from_0, default=0, metavar="N", help="the seed of the points to check")
    command.add_argument("--json", action="store_true", help="print JSON")


def run(asked: argparse.Namespace) -> int:
    """Compare the gradient of every operation with central differences."""
    found = list(findings(asked.seed))
    wrong = [finding for finding in found if not finding.ok]
    if asked.json:
        print(json.dumps([finding._asdict() for finding in found]))
    else:
        rows = [[f.group, f.operation, str(f.compared), f"{f.error:.1e}", "ok" if f.ok else "WRONG"] for f in found]
        print(table(["kind", "operation", "derivatives", "largest error", ""], rows, "  rr "))
        agree = f"{len(found) - len(wrong)} of {len(found)} operations agree with central differences"
        print(f"\n{agree}: in reverse and forward mode, first and second derivatives")
    return FAILED if wrong else OK


class Finding(NamedTuple):
    """The result of the check of one operation."""

    operation: str
    group: str
    compared: int  # the number of derivatives: first ones in both modes, and second ones
    error: float  # the largest difference
    ok: bool


_DIRECTIONS = 4  # along which the derivatives of a function of an array are checked
ARRAYS = tables()  # a function belongs into the file of its subject in `checks`


def findings(seed: int = 0) -> Iterator[Finding]:
    """Yield the result of each operation: rows of the table on numbers, and functions of arrays."""
    rng = np.random.default_rng(seed)
    for name, row in ops.TABLE.items():
        points = [_within(name, x) for x in rng.uniform(0.2, 0.8, len(row.operands))]
        yield _finding(name, "rows of the table", row, points)
    for group, functions in ARRAYS.items():
        for name, function in functions.items():
            yield _finding(name, group, _along(function, _spread(rng), rng), [np.zeros(_DIRECTIONS)])


def _within(name: str, x: float) -> float:
    return x + 1.5 if name == "acosh" else float(x)


def _spread(rng: np.random.Generator) -> np.ndarray:
    """Return numbers that are far apart, so that finite differences do not change their order."""
    return rng.permutation(np.linspace(-1.7, 1.9, 12)).reshape(3, 4)


def _along(function: Callable[..., object], x: np.ndarray, rng: np.random.Generator) -> Callable[..., object]:
    """Return a function of steps from x along random directions; a few of them find a wrong derivative anywhere."""
    directions = rng.normal(size=(_DIRECTIONS, *x.shape)) / np.sqrt(x.size)
    return lambda steps: function(tensordot(steps, directions, 1) + x)


def _finding(name: str, group: str, function: Callable[..., object], points: list) -> Finding:
    found = check_gradients(function, *points, order=2, raise_on_failure=False)
    return Finding(name, group, len(found.inputs), max(row.error for row in found.inputs), found.ok)
