"""`adjoint check`: compare the gradient of every operation with central differences."""

import argparse
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import adjoint
from adjoint import linalg
from adjoint.cli.arguments import FAILED, OK, integer_from_0
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


def _spd(x: Any) -> Any:
    """Return a positive definite matrix computed from any matrix."""
    return x @ adjoint.matrix_transpose(x) + 3.0 * np.eye(3)


_MASK = np.array([[True, False, True, True], [False, True, False, True], [True, True, False, False]])

# Functions of arrays of 3 by 4, of 3 by 3, or of images, as users call them.
ARRAYS: dict[str, dict[str, Callable[..., Any]]] = {
    "reductions": {
        "sum": lambda x: adjoint.sum(x, axis=0), "mean": lambda x: adjoint.mean(x, axis=1),
        "prod": lambda x: adjoint.prod(x, axis=1), "var": lambda x: adjoint.var(x, axis=0),
        "std": lambda x: adjoint.std(x, axis=1), "max": lambda x: adjoint.max(x, axis=0),
        "min": lambda x: adjoint.min(x, axis=1), "logsumexp": lambda x: adjoint.logsumexp(x, axis=1),
        "norm": lambda x: adjoint.norm(x), "cumsum": lambda x: adjoint.cumsum(x, axis=1),
        "cumprod": lambda x: adjoint.cumprod(x, axis=0), "softmax": lambda x: adjoint.softmax(x, axis=-1),
        "log_softmax": lambda x: adjoint.log_softmax(x, axis=-1),
    },
    "shapes": {
        "reshape": lambda x: adjoint.reshape(x, (2, 6)), "transpose": lambda x: x.T,
        "moveaxis": lambda x: adjoint.moveaxis(x, 0, 1), "squeeze": lambda x: adjoint.squeeze(x[:1], 0),
        "expand_dims": lambda x: adjoint.expand_dims(x, 1),
        "broadcast_to": lambda x: adjoint.broadcast_to(x, (2, 3, 4)),
        "flip": lambda x: adjoint.flip(x, axis=0), "roll": lambda x: adjoint.roll(x, 1, axis=1),
        "repeat": lambda x: adjoint.repeat(x, 2, axis=0), "tile": lambda x: adjoint.tile(x, (2, 1)),
        "pad": lambda x: adjoint.pad(x, 1), "concat": lambda x: adjoint.concat([x, x * 2.0], axis=0),
        "stack": lambda x: adjoint.stack([x, x * x]), "split": lambda x: adjoint.split(x, 2, axis=1)[1],
    },
    "indexing": {
        "slices": lambda x: x[1:, ::2], "integer arrays": lambda x: x[np.array([0, 0, 2])],
        "a mask": lambda x: x[_MASK],
        "at.set": lambda x: x.at[0].set(x[1] * 2.0), "at.add": lambda x: x.at[0].add(x[1]),
        "at.multiply": lambda x: x.at[0].multiply(x[1]), "where": lambda x: adjoint.where(_MASK, x, x * x),
        "clip": lambda x: adjoint.clip(x, -0.9, 0.9), "take": lambda x: adjoint.take(x, np.array([1, 1]), axis=0),
        "take_along_axis": lambda x: adjoint.take_along_axis(x, np.array([[0], [2], [1]]), axis=1),
        "embedding": lambda x: adjoint.embedding(x, np.array([[0, 2], [2, 1]])),
        "sort": lambda x: adjoint.sort(x, axis=1),
        "topk": lambda x: adjoint.topk(x, 2)[0], "tril": lambda x: adjoint.tril(x), "triu": lambda x: adjoint.triu(x),
        "trace": lambda x: adjoint.trace(x), "diag": lambda x: adjoint.diag(x[0]),
    },
    "products": {
        "matmul": lambda x: x @ x.T, "linear": lambda x: adjoint.linear(x, x, x[:, 0]),
        "einsum": lambda x: adjoint.einsum("ij,kj->ik", x, x), "dot": lambda x: adjoint.dot(x[0], x[1]),
        "tensordot": lambda x: adjoint.tensordot(x, x, 2), "outer": lambda x: adjoint.outer(x[0], x[1]),
    },
    "linear algebra": {
        "linalg.inv": lambda x: linalg.inv(_spd(x)), "linalg.solve": lambda x: linalg.solve(_spd(x), x),
        "linalg.det": lambda x: linalg.det(_spd(x)), "linalg.slogdet": lambda x: linalg.slogdet(_spd(x))[1],
        "linalg.cholesky": lambda x: linalg.cholesky(_spd(x)), "linalg.eigh": lambda x: linalg.eigh(_spd(x))[0],
        "linalg.svd": lambda x: linalg.svd(x, full_matrices=False)[1], "linalg.qr": lambda x: linalg.qr(x.T)[1],
        "linalg.norm": lambda x: linalg.norm(x),
    },
    "networks": {
        "conv1d": lambda x: adjoint.conv1d(x.reshape((1, 3, 4)), x[:, :2].reshape((1, 3, 2))),
        "conv2d": lambda x: adjoint.conv2d(x.reshape((1, 1, 3, 4)), x[:2, :2].reshape((1, 1, 2, 2)), padding=1),
        "max_pool2d": lambda x: adjoint.max_pool2d(x.reshape((1, 1, 3, 4)), 2),
        "avg_pool2d": lambda x: adjoint.avg_pool2d(x.reshape((1, 1, 3, 4)), 2),
        "dropout": lambda x: adjoint.dropout(x, 0.5, generator=np.random.default_rng(0)),
        "attention": lambda x: adjoint.scaled_dot_product_attention(x, x, x, causal=True),
    },
}  # fmt: skip


def findings(seed: int = 0) -> Iterator[Finding]:
    """Yield the result of each operation: rows of the table on numbers, and functions of arrays."""
    rng = np.random.default_rng(seed)
    for name, row in ops.TABLE.items():
        points = [_within(name, x) for x in rng.uniform(0.2, 0.8, len(row.operands))]
        yield _finding(name, "rows of the table", row, points)
    for group, functions in ARRAYS.items():
        for name, function in functions.items():
            yield _finding(name, group, function, [_spread(rng)])


def _within(name: str, x: float) -> float:
    return x + 1.5 if name == "acosh" else float(x)


def _spread(rng: np.random.Generator) -> np.ndarray:
    """Return numbers that are far apart, so that finite differences do not change their order."""
    return rng.permutation(np.linspace(-1.7, 1.9, 12)).reshape(3, 4)


def _finding(name: str, group: str, function: Callable[..., Any], points: list) -> Finding:
    found = check_gradients(function, *points, order=2, raise_on_failure=False)
    return Finding(name, group, len(found.inputs), max(row.error for row in found.inputs), found.ok)
