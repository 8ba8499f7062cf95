"""Every row of the table on arrays: against PyTorch, broadcast and not, at edges, to the third derivative."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from arrays import (
    Problem,
    case,
    problems,
    require_agreement,
    require_central_differences,
    require_own_gradients,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import torch_function

import adjoint
from adjoint import Value, ops

CASES: dict = {}
UNARY = sorted(row for row, op in ops.TABLE.items() if len(op.operands) == 1)
BINARY = sorted(row for row, op in ops.TABLE.items() if len(op.operands) == 2)

# Where the rows are smooth: what central differences need.
DOMAINS = {
    **dict.fromkeys(("log", "log2", "log10", "sqrt"), (0.3, 3.0)),
    **dict.fromkeys(("asin", "acos", "atanh"), (-0.8, 0.8)),
    "log1p": (-0.7, 3.0),
    "acosh": (1.2, 3.0),
    "tan": (-1.2, 1.2),
}
SECOND_DOMAINS = {"div": (0.4, 2.0), "pow": (-2.0, 3.0)}


def elementwise_prelu(x, a):
    """PyTorch's leaky relu with a slope for each element, which is a channel to it."""
    x, a = torch.broadcast_tensors(x, a)
    return F.prelu(x.reshape(1, -1), a.reshape(-1)).reshape(x.shape) if x.numel() else x * a


@case(CASES, *UNARY)
def _(row, draw):
    x = draw.array(None, *DOMAINS.get(row, (-2.0, 2.0)))
    return Problem(ops.TABLE[row], torch_function(row), [x])


@case(CASES, *BINARY)
def _(row, draw):
    first, second = draw.broadcast(2)
    x = draw.array(first, *((0.3, 2.0) if row == "pow" else (-2.0, 2.0)))
    z = draw.array(second, *SECOND_DOMAINS.get(row, (-2.0, 2.0)))
    theirs = elementwise_prelu if row == "leaky_relu" else torch_function(row)
    return Problem(ops.TABLE[row], theirs, [x, z])
