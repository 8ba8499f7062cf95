"""Operations that users add with `adjoint.op` behave like built-in ones."""

import math

import pytest
from closeness import require_close

import adjoint
from adjoint import Value, check_gradients, draw, op
from adjoint.errors import GradientError, OperandError, OpError

cube = op("cube", lambda m, x: x * x * x, lambda m, y, x: 3 * x * x)
softsign = op("softsign", lambda m, x: x / (1 + m.abs(x)), lambda m, y, x: 1 / (1 + m.abs(x)) ** 2)
fma = op(
    "fma",
    lambda m, x, y_, z: x * y_ + z,
    lambda m, y, x, y_, z: y_,
    lambda m, y, x, y_, z: x,
    lambda m, y, x, y_, z: 1,
)


def test_an_op_computes_and_differentiates():
    x = Value(2.0)
    y = cube(x)
    y.backward()
    assert (y.data, x.grad, y.op, y.parents) == (8.0, 12.0, "cube", (x,))


def test_an_op_takes_plain_numbers():
    assert cube(2) == 8.0
    assert type(softsign(1)) is float


def test_an_op_of_three_operands_mixes_values_and_constants():
    x, z = Value(2.0), Value(5.0)
    y = fma(x, 3, z)
    y.backward()
    assert (y.data, x.grad, z.grad) == (11.0, 3.0, 1.0)
    assert y.parents == (x, z)
    y.backward(retain_graph=False)
    assert (x.grad, y.op, y.parents) == (6.0, "fma", ())


def test_an_op_differentiates_to_any_order():
    x, found = Value(2.0), []
    current = cube(x)
    for _ in range(4):
        x.zero_grad()
        current.backward(create_graph=True)
        current = x.grad
        found.append(float(current))
    assert found == [12.0, 12.0, 6.0, 0.0]


def test_an_op_works_with_the_gradient_check_and_drawings():
    assert check_gradients(lambda x: softsign(x * 2) * cube(x), 0.7)
    assert "cube" in draw(cube(Value(2.0)))
    assert repr(softsign) == "y = softsign(x) = x/(1 + |x|)    ∂y/∂x = 1/(1 + |x|)²"


def test_an_op_may_use_the_rows_of_the_table():
    swish = op(
        "swish",
        lambda m, x: x * adjoint.sigmoid(x),
        lambda m, y, x: adjoint.sigmoid(x) + y * (1 - adjoint.sigmoid(x)),
    )
    x = Value(0.5)
    swish(x).backward()
    reference = Value(0.5)
    reference.silu().backward()
    require_close(x.grad, reference.grad)
    assert check_gradients(swish, 0.5)


def test_a_rule_uses_the_current_values_of_its_variables():
    scale = {"by": 2.0}
    scaled = op("scaled", lambda m, x: scale["by"] * x, lambda m, y, x: scale["by"])
    assert scaled(3.0) == 6.0
    scale["by"] = 5.0
    x = Value(3.0)
    y = scaled(x)
    y.backward()
    assert (y.data, x.grad) == (15.0, 5.0)


def test_a_pole_of_a_users_rule_gives_infinity():
    inverse = op("inverse", lambda m, x: 1 / x, lambda m, y, x: -1 / x**2)
    x = Value(0.0)
    y = inverse(x)
    y.backward()
    assert (y.data, x.grad) == (math.inf, -math.inf)


@pytest.mark.long
def test_a_million_nodes_of_an_op_are_freed_without_recursion():
    step = op("step", lambda m, x: x + 1, lambda m, y, x: 1.0)
    x = Value(0.0)
    y = x
    for _ in range(100_000):
        y = step(y)
    y.backward()
    assert (y.data, x.grad) == (100_000.0, 1.0)


def test_a_wrong_rule_is_found_by_the_check():
    wrong = op("wrong", lambda m, x: x * x, lambda m, y, x: 3 * x)
    with pytest.raises(GradientError, match=r"the gradient of x at 2 is 6 by backward\(\) and 4"):
        check_gradients(wrong, 2.0)


def test_too_few_partials_are_an_error():
    with pytest.raises(
        OpError,
        match=r"op 'f' needs one partial derivative for each operand \(x, z\): 2 in all, not 1",
    ):
        op("f", lambda m, x, z: x * z, lambda m, y, x, z: z)


def test_a_partial_with_the_wrong_operands_is_an_error():
    with pytest.raises(OpError, match=r"op 'f': its partial derivative for x must take \(m, y, x\).*it takes \(m, x\)"):
        op("f", lambda m, x: x, lambda m, x: 1.0)


def test_a_rule_that_is_not_a_function_of_named_operands_is_an_error():
    with pytest.raises(OpError, match="the rules of an op must be functions with named parameters"):
        op("f", math.sin, math.cos)
    with pytest.raises(OpError, match="functions with named parameters"):
        op("f", lambda m, *xs: sum(xs), lambda m, y, *xs: 1.0)


def test_the_error_of_a_failing_rule_names_the_rule_and_its_inputs():
    failing = op("failing", lambda m, x: m.no_such_function(x), lambda m, y, x: 1.0)
    with pytest.raises(OpError, match=r"op 'failing': its forward expression failed at x=2.0: KeyError|AttributeError"):
        failing(Value(2.0))
    crooked = op("crooked", lambda m, x: x, lambda m, y, x: [][1])
    with pytest.raises(
        OpError, match=r"op 'crooked': its partial derivative for x failed at x=2.0: IndexError"
    ) as caught:
        crooked(Value(2.0))
    assert isinstance(caught.value.__cause__, IndexError)


def test_a_rule_that_does_not_return_a_number_is_an_error():
    texts = op("texts", lambda m, x: "two", lambda m, y, x: 1.0)
    with pytest.raises(OpError, match="the result needs a number, not str 'two'"):
        texts(2.0)
    pairs = op("pairs", lambda m, x: x, lambda m, y, x: (1.0, 2.0))
    with pytest.raises(OpError, match=r"partial derivative for x failed.*not tuple \(1.0, 2.0\)"):
        pairs(Value(2.0))
    weight = Value(3.0)
    captured = op("captured", lambda m, x: x * weight, lambda m, y, x: 1.0)
    with pytest.raises(OpError, match="not Value"):
        captured(2.0)


def test_the_error_for_a_wrong_number_of_operands_gives_the_right_number():
    with pytest.raises(OperandError, match=r"fma takes 3 operands \(x, y_, z\), not 2"):
        fma(1.0, 2.0)
    for call in (lambda: adjoint.tanh(Value(1.0), 2.0), lambda: Value(1.0).tanh(2.0)):
        with pytest.raises(OperandError, match=r"tanh takes 1 operand \(x\), not 2"):
            call()
    for count, call in ((1, Value(1.0).maximum), (3, lambda: Value(1.0).maximum(2, 3))):
        with pytest.raises(OperandError, match=rf"maximum takes 2 operands \(x, z\), not {count}"):
            call()
