"""How far the result of a program may move if its sums are computed in another order.

The program runs again with a relative error of 1e-12 in the result of each operation, and so in each term of each sum.
A number may be off by a few times what it then moves: a sum of large terms that cancel by 1e-12 of its terms, and the
gradient of a parameter by 1e-12 of the contributions of the samples.
"""

import ast
import random
from typing import Any

from adjoint import Value
from scalar_programs.program import Program, Snapshot, identity

SIZE = 1e-12
RUNS = 2
MARGIN = 5.0


def tolerances(program: Program, eager: list[Snapshot]) -> list[dict[str, float]]:
    """Return how far each number of the eager run may be off, call by call."""
    found = [{path: SIZE * abs(x) for path, x in _numbers(snapshot).items()} for snapshot in eager]
    for seed in range(RUNS):
        noisy = program.run(identity, change=_WithNoise().visit, noise=_Noise(seed)).snapshots
        for allowed, expected, moved in zip(found, map(_numbers, eager), map(_numbers, noisy)):
            for path in allowed:
                difference = abs(moved.get(path, float("inf")) - expected[path])
                # A number that moves by a million times the noise says nothing: training diverges, or the noise
                # crosses the edge of a domain, which gives NaN.
                says_something = difference <= 1e6 * SIZE * max(1.0, abs(expected[path]))
                allowed[path] = max(allowed[path], MARGIN * difference) if says_something else float("inf")
    return found


def _numbers(snapshot: Snapshot) -> dict[str, float]:
    return {path: x for path, x in {**snapshot.result, **snapshot.state}.items() if isinstance(x, float)}


class _Noise:
    """Multiplies a Value or a float by a number near 1."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def __call__(self, x: Any) -> Any:
        if type(x) is float:
            return x * (1 + SIZE * self.random.uniform(-1, 1))
        if isinstance(x, Value) and not x._is_array:
            return x * (1 + SIZE * self.random.uniform(-1, 1))
        return x


class _WithNoise(ast.NodeTransformer):
    """Wraps each operation and each call in `noise(…)`, except calls that make leaves or change something."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        return _wrapped(self.generic_visit(node))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = ast.unparse(node.func)
        kept = ("Value", "V", "range", "zip", "enumerate", "len", "map", "SimpleNamespace", "locals", "globals", "jit")
        return node if name in kept or name.endswith(("update", "backward", "grad", "step", "hook")) else _wrapped(node)


def _wrapped(node: ast.AST) -> ast.expr:
    assert isinstance(node, ast.expr)
    call = ast.Call(ast.Name("noise", ast.Load()), [node], [])
    return ast.fix_missing_locations(ast.copy_location(call, node))
