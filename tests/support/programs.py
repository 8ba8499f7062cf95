"""Random programs over all operations, which run on any engine and in PyTorch.

A program is data: input numbers, and steps that each apply a row of the table to earlier results or to constants.
Results are used several times, so the graphs are not trees.
"""

import functools
import math
import struct
from dataclasses import dataclass

import pytest
from arrays import F, torch
from hypothesis import strategies as st

from adjoint import ops
from adjoint.engine.rule import evaluate

_TORCH = {
    "floor_divide": lambda x, z: torch.div(x, z, rounding_mode="floor"),
    "cbrt": lambda x: _sign(x) * (_sign(x) * x) ** (1 / 3),
    "elu": lambda x, a: torch.where(x > 0, x, a * torch.expm1(torch.where(x > 0, 0.0, x))),
    "leaky_relu": lambda x, a: F.prelu(x.reshape(1), a.reshape(1)).reshape(()),
    "softplus": lambda x: F.softplus(x, threshold=100),
    "gelu": lambda x: 0.5 * x * (1 + torch.erf(x / math.sqrt(2))),  # F.gelu(inf) is NaN in its vectorized version
    "celu": lambda x, a: torch.where(
        x > 0, x, a * torch.expm1(torch.where(x > 0, 0.0, x) / torch.where(x > 0, 1.0, a))
    ),
    "selu": lambda x: 1.0507009873554805 * _TORCH["elu"](x, 1.6732632423543772),  # F.selu''(0) is 0
    "hardshrink": lambda x, a: (
        torch.where((x >= -a) & (x <= a), 0.0, x) + torch.where(x > x, a, 0.0)
    ),  # for a's gradient
    "softshrink": lambda x, a: torch.where((x >= -a) & (x <= a), 0.0, torch.where(x > 0, x - a, x + a)),
    "hardsigmoid": lambda x: F.relu6(x + 3) / 6,  # F.hardsigmoid has a slope of 1/6 rounded to float32
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
}


def _sign(x):
    return torch.where(x < 0, -1.0, 1.0).to(x.dtype)


def torch_function(row: str):
    """Return PyTorch's function for a row of the table."""
    pytest.importorskip("torch")
    return _TORCH.get(row) or getattr(torch, row, None) or getattr(F, row)


@dataclass(frozen=True)
class Step:
    """Apply a row to operands: an int refers to an earlier result, a float is a constant."""

    row: str
    operands: tuple[int | float, ...]


@dataclass(frozen=True)
class Program:
    inputs: tuple[float, ...]
    steps: tuple[Step, ...]

    def run(self, variable, function):
        """Return the leaves and all results, made with `variable(number)` and `function(row)(…)`."""
        leaves = [variable(x) for x in self.inputs]
        results = list(leaves)
        for step in self.steps:
            operands = [x if isinstance(x, float) else results[x] for x in step.operands]
            results.append(function(step.row)(*operands))
        return leaves, results


def on_engine(program: Program, package):
    """Run on an engine and call backward on the sum of the last results; return numbers and gradients."""
    leaves, results = program.run(package.Value, lambda row: getattr(package.ops, row))
    root = results[-1] + results[-2] * 0.5
    root.backward()
    return [r.data for r in results], [leaf.grad for leaf in leaves]


def bits(numbers) -> list:
    """Return the bytes of each number; all NaNs are the same."""
    return ["NaN" if math.isnan(x) else struct.pack("d", x) for x in numbers]


def in_torch(program: Program):
    """Run a program in PyTorch, in double precision; return numbers and gradients."""
    pytest.importorskip("torch")
    leaves, results = program.run(
        lambda x: torch.tensor(x, dtype=torch.float64, requires_grad=True),
        lambda row: lambda *xs: torch_function(row)(*map(_tensor, xs)),
    )
    (results[-1] + results[-2] * 0.5).backward()
    gradients = [0.0 if leaf.grad is None else leaf.grad.item() for leaf in leaves]
    return [r.item() for r in results], gradients


def _tensor(x):
    return torch.tensor(x, dtype=torch.float64) if isinstance(x, float) else x


tame = st.floats(-3, 3) | st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.0])
wild = st.floats() | st.sampled_from([0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e308, 5e-324])


@st.composite
def programs(draw, numbers=tame, well_conditioned=True) -> Program:
    """Draw programs of up to 12 steps over up to 4 inputs.

    Well-conditioned programs can be compared to many digits: a step that would leave its domain, exceed 1000 or come
    near a pole is replaced by a tanh.
    """
    inputs = tuple(draw(st.lists(numbers, min_size=1, max_size=4)))
    known, steps = list(inputs), []
    for _ in range(draw(st.integers(1, 12))):
        row = draw(_rows)
        operands = draw(_operands(len(ops.TABLE[row].operands), len(known), numbers))
        numbers_in = [x if isinstance(x, float) else known[x] for x in operands]
        if well_conditioned and not _is_tame(row, numbers_in):
            row, operands = "tanh", tuple(x for x in operands if isinstance(x, int))[:1]
            numbers_in = [known[operands[0]]]
        known.append(evaluate(ops.TABLE[row], numbers_in, ())[0])
        steps.append(Step(row, operands))
    return Program(inputs, tuple(steps))


_rows = st.sampled_from(sorted(ops.TABLE))


@functools.cache
def _operands(count: int, known: int, numbers) -> st.SearchStrategy:
    """Draw operands, at least one of which is an earlier result."""
    result = st.integers(0, known - 1)
    if count == 1:
        return st.tuples(result)
    return st.tuples(result, result | numbers) | st.tuples(numbers, result)


def _is_tame(row: str, numbers: list[float]) -> bool:
    if row == "celu" and abs(numbers[1]) < 1e-3:
        return False  # x / a overflows, and PyTorch's slope for a is NaN
    y, slopes = evaluate(ops.TABLE[row], numbers, range(len(numbers)))
    return all(abs(x) < 1e3 for x in (y, *slopes))  # False for NaN
