"""Every row of the table on arrays: against PyTorch, broadcast and not, at edges, to the third derivative."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from arrays import (
    FINITE_EDGES,
    Problem,
    case,
    jax_in_double,
    problems,
    require_agreement,
    require_central_differences,
    require_forward_mode,
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
# Where PyTorch has no answer at an edge, or not that of the scalar engine: acosh outside its domain, the sign of NaN.
SPECIAL = {"acosh": (1.0, 3.0, 40.0, math.inf, math.nan), "sign": (*FINITE_EDGES, math.inf, -math.inf)}
SECOND_DOMAINS = {"div": (0.4, 2.0), "pow": (-2.0, 3.0)}


def elementwise_prelu(x, a):
    """PyTorch's leaky relu with a slope for each element, which is a channel to it."""
    x, a = torch.broadcast_tensors(x, a)
    return F.prelu(x.reshape(1, -1), a.reshape(-1)).reshape(x.shape) if x.numel() else x * a


@case(CASES, *UNARY)
def _(row, draw):
    x = draw.array(None, *DOMAINS.get(row, (-2.0, 2.0)), special=SPECIAL.get(row))
    return Problem(draw.call(row), torch_function(row), [x])


@case(CASES, *BINARY)
def _(row, draw):
    first, second = draw.broadcast(2)
    x = draw.array(first, *((0.3, 2.0) if row == "pow" else (-2.0, 2.0)))
    z = draw.array(second, *SECOND_DOMAINS.get(row, (-2.0, 2.0)), special=FINITE_EDGES if row == "elu" else None)
    theirs = elementwise_prelu if row == "leaky_relu" else torch_function(row)
    return Problem(draw.call(row), theirs, [x, z])


# --- what holds for each of them ---------------------------------------------------------------------------

each = pytest.mark.parametrize("name", CASES)


@each
@settings(max_examples=25)
@given(data=st.data())
def test_results_and_gradients_follow_pytorch(name, data):
    require_agreement(data.draw(problems(CASES, name)), order=1)


@each
@settings(max_examples=15)
@given(data=st.data())
def test_three_derivatives_follow_pytorch(name, data):
    require_agreement(data.draw(problems(CASES, name, dtypes=["float64"])), order=3)


@each
@pytest.mark.parametrize("kind", ["ties", "edges"])
@settings(max_examples=20)
@given(data=st.data())
def test_ties_and_edges_follow_pytorch(name, kind, data):
    require_agreement(data.draw(problems(CASES, name, kind)), order=1)


@each
@settings(max_examples=5)
@given(data=st.data())
def test_central_differences_confirm_each_derivative(name, data):
    require_central_differences(data.draw(problems(CASES, name, dtypes=["float64"])), order=3)


@each
@settings(max_examples=5)
@given(data=st.data())
def test_forward_mode_agrees_with_pytorch_to_the_third_derivative(name, data):
    require_forward_mode(data.draw(problems(CASES, name, dtypes=["float64"])), order=3)


@each
@settings(max_examples=10)
@given(data=st.data())
def test_gradients_belong_to_their_value_alone(name, data):
    require_own_gradients(data.draw(problems(CASES, name)))


@each
@settings(max_examples=10)
@given(data=st.data())
def test_arrays_of_torch_serve_as_data(name, data):
    require_agreement(data.draw(problems(CASES, name)), order=2, library=torch.tensor)


@each
@settings(max_examples=2)
@given(data=st.data())
def test_arrays_of_jax_serve_as_data(name, data):
    with jax_in_double() as library:
        require_agreement(data.draw(problems(CASES, name)), order=2, library=library)
