"""The table of rules: every row against PyTorch, central differences and closed forms."""

import math

import pytest
from closeness import require_close
from fuzzing import examples
from hypothesis import given, strategies as st
from programs import bits, in_torch, on_engine, programs, tame, torch_function

import adjoint
from adjoint import Value, check_gradients, ops

UNARY = sorted(row for row, op in ops.TABLE.items() if len(op.operands) == 1)
BINARY = sorted(row for row, op in ops.TABLE.items() if len(op.operands) == 2)
EDGES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.0,
    3.0,
    40.0,
    -40.0,
    1e-20,
    1e300,
    -1e300,
    math.inf,
    -math.inf,
    math.nan,
]


def slopes_of(row: str, *numbers: float, order: int = 1) -> list[float]:
    """Return the value of a row, its derivative for the first operand, the derivative of that, and so on."""
    x, *others = [Value(number) for number in numbers]
    current, found = getattr(ops, row)(x, *others), []
    for _ in range(order):
        found.append(float(current))
        x.zero_grad()
        current.backward(create_graph=True)
        current = x.grad
        if not isinstance(current, Value):
            return found + [0.0] * (order + 1 - len(found))
    return [*found, float(current)]


def slopes_in_torch(row: str, *numbers: float, order: int = 1) -> list[float]:
    torch = pytest.importorskip("torch")
    x, *others = [torch.tensor(n, dtype=torch.float64, requires_grad=True) for n in numbers]
    current, found = torch_function(row)(x, *others), []
    for _ in range(order):
        found.append(current.item())
        if not current.requires_grad:
            return found + [0.0] * (order + 1 - len(found))
        (current,) = torch.autograd.grad(current, x, create_graph=True, allow_unused=True)
        if current is None:
            return found + [0.0] * (order + 1 - len(found))
    return [*found, current.item()]


# Points where PyTorch's formula loses precision and ours does not.
BETTER_THAN_TORCH = {
    ("acosh", 1e300): "torch squares x, which overflows, and has a slope of 0",
    ("expm1", -40.0): "torch adds 1 to expm1(x), and loses e^x",
    ("gelu_tanh", 1e300): "torch multiplies 0 by an infinite square, and has a slope of NaN",
    ("gelu_tanh", -1e300): "the same",
}


@pytest.mark.parametrize("row", UNARY)
@pytest.mark.parametrize("x", EDGES)
def test_a_function_and_its_slope_follow_pytorch_at_the_edges(row, x):
    ours, theirs = slopes_of(row, x), slopes_in_torch(row, x)
    if row == "sign" and math.isnan(x):
        assert math.isnan(ours[0])  # NaN propagates, as in NumPy; torch gives 0
        return
    require_close(ours[0], theirs[0], scale=1.0)
    if not math.isnan(theirs[0]) and (row, x) not in BETTER_THAN_TORCH:
        require_close(ours[1], theirs[1], scale=1.0)


@pytest.mark.parametrize(
    ("row", "x", "slope"), [("acosh", 1e300, 1e-300), ("expm1", -40.0, math.exp(-40)), ("gelu_tanh", 1e300, 1.0)]
)
def test_slopes_are_exact_where_pytorch_loses_precision(row, x, slope):
    require_close(slopes_of(row, x)[1], slope)


@pytest.mark.parametrize("row", sorted(set(BINARY) - {"elu", "celu", "hardshrink", "softshrink"}))
@pytest.mark.parametrize("x", EDGES)
def test_a_function_of_two_and_its_slopes_follow_pytorch_at_the_edges(row, x):
    torch = pytest.importorskip("torch")
    for z in EDGES:
        ours = [Value(x), Value(z)]
        theirs = [torch.tensor(n, dtype=torch.float64, requires_grad=True) for n in (x, z)]
        y, expected = getattr(ops, row)(*ours), torch_function(row)(*theirs)
        y.backward()
        expected.backward()
        require_close(y.data, expected.item(), f"at {(x, z)}", scale=1.0)
        if row == "copysign" and math.isinf(x):
            continue  # torch divides the result by x, which is NaN; our slope is 1 or -1
        for mine, torchs in zip(ours, theirs):
            require_close(mine.grad, torchs.grad.item(), f"at {(x, z)}", scale=1.0)


@pytest.mark.parametrize("x", EDGES)
@pytest.mark.parametrize("alpha", [1.0, 0.5, 2.0])
@pytest.mark.parametrize("row", ["elu", "celu", "hardshrink", "softshrink"])
def test_activations_with_a_parameter_follow_pytorch_at_the_edges(row, x, alpha):
    torch = pytest.importorskip("torch")
    ours, theirs = Value(x), torch.tensor(x, dtype=torch.float64, requires_grad=True)
    y, expected = getattr(adjoint, row)(ours, alpha), getattr(torch.nn.functional, row)(theirs, alpha)
    y.backward()
    expected.backward()
    require_close(y.data, expected.item(), scale=1.0)
    if not math.isnan(x):
        require_close(ours.grad, theirs.grad.item(), scale=1.0)


@pytest.mark.long
@examples(400)
@given(programs())
def test_random_graphs_agree_with_pytorch_and_the_engines_with_each_other(all_engines, program):
    ours, *others = (on_engine(program, package) for package in all_engines)
    for other in others:
        assert bits(ours[0]) == bits(other[0])
        assert bits(ours[1]) == bits(other[1])
    theirs = in_torch(program)
    for mine, torchs in zip(ours[0], theirs[0]):
        require_close(mine, torchs, scale=1.0)
    scale = max(1.0, *map(abs, theirs[1]))  # contributions of opposite sign can cancel
    for mine, torchs in zip(ours[1], theirs[1]):
        require_close(mine, torchs, scale=scale)


@examples(40)
@pytest.mark.parametrize("row", UNARY)
@given(x=tame)
def test_derivatives_up_to_the_third_agree_with_pytorch(row, x):
    theirs = slopes_in_torch(row, x, order=3)
    if all(abs(slope) < 1e4 for slope in theirs):
        for mine, torchs in zip(slopes_of(row, x, order=3), theirs):
            require_close(mine, torchs, scale=1.0)


@examples(40)
@pytest.mark.parametrize("row", BINARY)
@given(x=tame, z=tame)
def test_second_derivatives_of_functions_of_two_agree_with_pytorch(row, x, z):
    theirs = slopes_in_torch(row, x, z, order=2)
    if all(abs(slope) < 1e4 for slope in theirs):
        for mine, torchs in zip(slopes_of(row, x, z, order=2), theirs):
            require_close(mine, torchs, scale=1.0)


KINKED = {"abs", "relu", "leaky_relu", "elu", "celu", "selu", "maximum", "minimum", "atan2", "copysign", "hypot"}
BENDS = {"hardtanh": (-1.0, 1.0), "relu6": (0.0, 6.0), "hardsigmoid": (-3.0, 3.0), "hardswish": (-3.0, 3.0)}
STEPS = {"sign", "floor", "ceil", "trunc", "round"}
PERIODIC = {"remainder", "floor_divide", "fmod"}  # they jump at multiples of the second operand


@examples(25)
@pytest.mark.parametrize("row", sorted(ops.TABLE))
@given(data=st.data())
def test_slopes_agree_with_central_differences(row, data):
    op = ops.TABLE[row]
    numbers = [data.draw(st.floats(0.01 if row == "pow" else -3, 3)) for _ in op.operands]
    kinks = [0.0, *numbers[1:]] if row in KINKED else BENDS.get(row, ())
    if row in ("hardshrink", "softshrink"):
        kinks = [0.0, numbers[1], -numbers[1]]
    if row in STEPS:  # they jump at integers, or halfway between
        kinks = [round(2 * numbers[0]) / 2]
    if row in PERIODIC:
        kinks = [numbers[1] * round(numbers[0] / numbers[1])] if abs(numbers[1]) > 0.1 else [numbers[0]]
    if row == "copysign" and abs(numbers[1]) < 1e-3:
        kinks = [numbers[0]]
    leaves = [Value(x) for x in numbers]
    y = op(*leaves)
    y.backward()
    steep = not all(abs(x) < 10 for x in (y.data, *(leaf.grad for leaf in leaves)))
    if not steep and all(abs(numbers[0] - kink) > 1e-3 for kink in kinks):
        check_gradients(op, *numbers, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("row", "x", "value", "slope"),
    [
        ("sigmoid", -1000.0, 0.0, 0.0),
        ("sigmoid", 1000.0, 1.0, 0.0),
        ("sigmoid", -745.0, math.exp(-745), math.exp(-745)),
        ("softplus", 1000.0, 1000.0, 1.0),
        ("softplus", -1000.0, 0.0, 0.0),
        ("softplus", -40.0, math.exp(-40), math.exp(-40)),
        ("tanh", 1000.0, 1.0, 0.0),
        ("tanh", -1000.0, -1.0, 0.0),
        ("log1p", 1e-20, 1e-20, 1.0),
        ("expm1", 1e-20, 1e-20, 1.0),
        ("silu", -1000.0, 0.0, 0.0),
        ("silu", 1000.0, 1000.0, 1.0),
        ("gelu", -1000.0, 0.0, 0.0),
        ("gelu", 1000.0, 1000.0, 1.0),
        ("elu", -1000.0, -1.0, 0.0),
        ("elu", 1000.0, 1000.0, 1.0),
        ("exp", 1000.0, math.inf, math.inf),
        ("log", 0.0, -math.inf, math.inf),
        ("sqrt", 0.0, 0.0, math.inf),
        ("atanh", 1.0, math.inf, math.inf),
        ("erf", 30.0, 1.0, 0.0),
    ],
)
def test_results_at_the_ends_of_the_range_do_not_overflow(row, x, value, slope):
    found = slopes_of(row, x)
    require_close(found[0], value)
    require_close(found[1], slope)


def test_division_by_zero_gives_infinity_and_not_an_error():
    v = Value(0.0)
    assert (1 / v).data == math.inf
    assert (-1 / v).data == -math.inf
    assert math.isnan((v / v).data)
    assert (v**-1).data == math.inf
    assert math.isnan((Value(-8.0) ** (1 / 3)).data)


@pytest.mark.parametrize("row", sorted(set(ops.TABLE) - {"add", "sub", "mul", "div", "pow", "neg"}))
def test_each_function_is_a_method_too_and_takes_plain_numbers(row):
    torch = pytest.importorskip("torch")
    numbers = [1.25, 0.5][: len(ops.TABLE[row].operands)]
    function = getattr(adjoint, row)
    leaves = [Value(x) for x in numbers]
    by_method = getattr(leaves[0], row)(*leaves[1:])
    assert isinstance(by_method, Value)
    result = function(*numbers)
    assert type(result) is float
    expected = torch_function(row)(*[torch.tensor(x, dtype=torch.float64) for x in numbers]).item()
    for found in (by_method.data, result, function(*leaves).data):
        require_close(found, expected, scale=1.0)


def test_an_omitted_slope_has_its_default():
    v = Value(-2.0)
    assert v.leaky_relu().data == -0.02
    assert v.leaky_relu(0.5).data == -1.0
    assert adjoint.leaky_relu(v).data == -0.02
    assert v.elu().data == math.expm1(-2.0)
    assert adjoint.elu(-2.0, 3.0) == 3 * math.expm1(-2.0)


def test_the_slope_of_a_leaky_relu_can_be_learned():
    x, slope = Value(-2.0), Value(0.1)
    x.leaky_relu(slope).backward()
    assert (x.grad, slope.grad) == (0.1, -2.0)


def test_the_sign_of_negative_zero_is_positive_zero():
    for found in (adjoint.sign(-0.0), Value(-0.0).sign().data, Value([-0.0]).sign().item()):
        assert math.copysign(1.0, found) == 1.0
