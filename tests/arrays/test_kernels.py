"""Every row of the table on arrays against PyTorch: broadcasting, edge values, and three derivatives."""

import math

import numpy as np
import pytest
from arrays import (
    FINITE_EDGES,
    F,
    Problem,
    as_tensor,
    case,
    jax_in_double,
    require_agreement,
    require_the_same_compiled,
    torch,
)
from claims import claims
from closeness import require_close
from programs import torch_function

import adjoint
from adjoint import Value, ops
from adjoint.errors import ArrayError, ShapeError

CASES: dict = {}
UNARY = sorted(row for row, op in ops.TABLE.items() if len(op.operands) == 1)
BINARY = sorted(row for row, op in ops.TABLE.items() if len(op.operands) == 2)

# The intervals where the rows are smooth, as central differences require.
DOMAINS = {
    **dict.fromkeys(("log", "log2", "log10", "sqrt"), (0.3, 3.0)),
    **dict.fromkeys(("asin", "acos", "atanh"), (-0.8, 0.8)),
    "log1p": (-0.7, 3.0),
    "acosh": (1.2, 3.0),
    "tan": (-1.2, 1.2),
}
# Edge values without those where PyTorch fails or differs from NumPy: acosh outside its domain, the sign of NaN. Where
# PyTorch computes several elements at once, the slopes of some functions at NaN are others than where it computes one.
_PIECES = ("celu", "elu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "relu6", "selu", "softshrink")
SPECIAL = {
    **dict.fromkeys(_PIECES, (*FINITE_EDGES, math.inf, -math.inf)),
    "acosh": (1.0, 3.0, 40.0, math.inf, math.nan),
    "copysign": FINITE_EDGES,  # PyTorch's slope at infinity is NaN
    "sign": (*FINITE_EDGES, math.inf, -math.inf),
    "gelu_tanh": (*FINITE_EDGES, math.nan),
    "softsign": FINITE_EDGES,  # PyTorch's slope at infinity is NaN, ours 0
}
SECOND_SPECIAL = {"elu": FINITE_EDGES, "celu": (0.5, 1.0, 3.0, -2.0)}
SECOND_DOMAINS = {"div": (0.4, 2.0), "pow": (-2.0, 3.0), "celu": (0.5, 2.0)}


def elementwise_prelu(x, a):
    """Apply PyTorch's prelu with one slope per element, by treating each element as a channel."""
    x, a = torch.broadcast_tensors(x, a)
    return F.prelu(x.reshape(1, -1), a.reshape(-1)).reshape(x.shape) if x.numel() else x * a


@case(CASES, *UNARY)
def _(row, draw):
    x = draw.array(None, *DOMAINS.get(row, (-2.0, 2.0)), special=SPECIAL.get(row))
    return Problem(draw.call(row), torch_function(row), [x])


@case(CASES, *BINARY)
def _(row, draw):
    first, second = draw.broadcast(2)
    x = draw.array(first, *((0.3, 2.0) if row == "pow" else (-2.0, 2.0)), special=SPECIAL.get(row))
    z = draw.array(second, *SECOND_DOMAINS.get(row, (-2.0, 2.0)), special=SECOND_SPECIAL.get(row))
    theirs = elementwise_prelu if row == "leaky_relu" else torch_function(row)
    return Problem(draw.call(row), theirs, [x, z])


# --- claims about every row -----------------------------------------------------------------------

each = pytest.mark.parametrize("name", CASES)


# Second derivatives at an edge have no limit, overflow, or consist of rounding errors: see docs/arrays.md.
SINGULAR = [
    "acos",
    "acosh",
    "asin",
    "atan2",
    "atanh",
    "cbrt",
    "copysign",
    "fmod",
    "gelu",
    "leaky_relu",
    "logaddexp",
    "mish",
    "pow",
]
globals().update(claims(CASES, SINGULAR, without=["arrays_of_jax", "compiled"]))


def small_problem(row: str) -> Problem:
    """Return a problem with fixed shapes, because XLA recompiles each operation for every new shape."""
    inputs = [np.linspace(*DOMAINS.get(row, (-1.9, 2.0)), 6).reshape(2, 3)]
    if row in BINARY:
        inputs = [
            np.linspace(0.3, 2.0, 6).reshape(2, 3),
            np.linspace(*SECOND_DOMAINS.get(row, (-1.8, 2.0)), 3),
        ]
    theirs = elementwise_prelu if row == "leaky_relu" else torch_function(row)
    return Problem(ops.TABLE[row], theirs, inputs)


@each
def test_arrays_of_jax_work_as_data(name):
    with jax_in_double() as library:
        require_agreement(small_problem(name), order=1, library=library)


@each
def test_compiled_programs_give_the_same_two_derivatives(name):
    with jax_in_double():
        require_the_same_compiled(small_problem(name))


# --- particular rows ------------------------------------------------------------------------------

KINKED = ("abs", "acosh", "cbrt", "ceil", "floor", "log", "log10", "log2", "relu", "round", "sign", "sqrt", "trunc")


@pytest.mark.parametrize("row", [row for row in UNARY if row not in KINKED])
def test_smooth_functions_keep_three_derivatives_at_zero(row):
    require_agreement(Problem(ops.TABLE[row], torch_function(row), [np.array([0.0, -0.0, 1e-9])]), order=3)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4.0, -1])
def test_integer_powers_have_three_derivatives_at_zero_and_below(exponent):
    x = np.array([-1.5, 2.0] if exponent == -1 else [0.0, -0.0, -1.5, 2.0])
    require_agreement(Problem(lambda v: v**exponent, lambda t: t**exponent, [x]), order=3)


def test_the_sign_of_nan_is_nan():
    assert math.isnan(adjoint.sign(Value([math.nan])).item())


@pytest.mark.parametrize("row", UNARY)
def test_a_row_of_a_plain_array_is_a_plain_array(row):
    x = np.array([1.0, 1.5])
    found = ops.TABLE[row](x)
    assert type(found) is np.ndarray
    require_close(found, [ops.TABLE[row](1.0), ops.TABLE[row](1.5)])


@pytest.mark.parametrize("row", BINARY)
def test_a_number_and_an_array_keep_the_dtype_of_the_array(row):
    v = Value(np.array([0.5, 1.5], np.float32))
    for y in (ops.TABLE[row](v, 2.0), ops.TABLE[row](2.0, v), ops.TABLE[row](-2.0, v), ops.TABLE[row](v, 0)):
        assert y.dtype == np.float32
        assert y.shape == (2,)
        v.zero_grad()
        y.sum().backward()
        assert v.grad.dtype == np.float32
        assert v.grad.shape == (2,)


@pytest.mark.parametrize("row", BINARY)
@pytest.mark.parametrize("scalar", [2.0, -2.0])
def test_a_scalar_value_among_arrays_receives_the_sum_of_its_gradients(row, scalar):
    pytest.importorskip("torch")
    x, numbers = Value(scalar), np.array([0.5, 1.5, 3.0])
    t = torch.tensor(scalar, dtype=torch.float64, requires_grad=True)
    theirs = elementwise_prelu if row == "leaky_relu" else torch_function(row)
    ops.TABLE[row](Value(numbers), x).sum().backward()
    theirs(torch.tensor(numbers), t).sum().backward()
    assert type(x.grad) is float
    require_close(x.grad, t.grad.item())


def test_floats_of_two_sizes_promote_to_the_larger_and_each_gradient_keeps_its_dtype():
    small, large = Value(np.array([1.0, 2.0], np.float32)), Value(np.array([[3.0], [4.0]]))
    y = small * large
    y.sum().backward()
    assert y.dtype == np.float64
    assert (small.grad.dtype, small.grad.tolist()) == (np.float32, [7.0, 7.0])
    assert (large.grad.dtype, large.grad.tolist()) == (np.float64, [[3.0], [3.0]])


@pytest.mark.parametrize("dtype", ["int32", "int64", "bool"])
def test_integer_constants_take_the_dtype_of_the_value(dtype):
    v = Value(np.array([1.5, 2.5], np.float32))
    y = v * np.array([1, 0], dtype) + np.array([1, 1], dtype)
    assert y.dtype == np.float32
    assert y.data.tolist() == [2.5, 1.0]


def test_a_value_with_itself_receives_both_contributions():
    v = Value([1.0, 2.0])
    (v * v + v / v + v - v).sum().backward()
    assert v.grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("row", BINARY)
def test_the_error_for_shapes_that_do_not_broadcast_names_the_operation_and_the_shapes(row):
    name = ops.TABLE[row].name
    for x, z in ((Value(np.ones((2, 3))), Value(np.ones(4))), (Value(np.ones((2, 3))), np.ones(4))):
        with pytest.raises(ShapeError, match=r"\(2, 3\).*\(4,\)") as caught:
            ops.TABLE[row](x, z)
        assert name in str(caught.value)


def test_a_users_operation_works_on_arrays_to_the_third_derivative():
    # y = x² sin(z), a rule in plain Python that is not a row of the table
    own = adjoint.op(
        "own",
        lambda m, x, z: x * x * m.sin(z),
        lambda m, y, x, z: 2 * x * m.sin(z),
        lambda m, y, x, z: x * x * m.cos(z),
    )
    inputs = [np.array([[0.5], [1.5]]), np.array([0.3, -0.2, 2.0])]
    problem = Problem(own, lambda t, u: t * t * torch.sin(u), inputs)
    require_agreement(problem, order=1)
    require_agreement(problem, order=3)
    require_agreement(problem, order=3, library=as_tensor)


def test_a_list_next_to_a_plain_array_is_an_array_as_next_to_a_value():
    np.testing.assert_array_equal(adjoint.maximum(np.ones(2), [0.0, 3.0]), [1.0, 3.0])
    with pytest.raises(ArrayError, match=r"adjoint\.stack"):
        adjoint.maximum(np.ones(2), [Value(1.0), 2.0])
