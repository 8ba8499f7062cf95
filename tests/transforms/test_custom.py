"""`custom_vjp`: functions with a gradient rule written by the user."""

import functools

import numpy as np
import pytest
from closeness import require_close
from transforming import DERIVATIVES, NESTS, A, B, nested

from adjoint import Tensor, Value, checkpoint, custom_vjp, errors, grad, jvp, no_grad


def make_cube():
    """Return x³ as a custom function with rules for both modes."""

    @custom_vjp
    def cube(x):
        return x**3

    @cube.vjp
    def _(g, y, x):
        return 3 * x * x * g

    @cube.jvp
    def _(tangents, y, x):
        return 3 * x * x * tangents[0]

    return cube


def test_backward_uses_the_custom_rule():
    doubled = custom_vjp(lambda x: 2 * x, lambda g, y, x: 100 * g)  # not the derivative, to show that the rule is used
    x, s = Value(A), Value(3.0)
    doubled(x).sum().backward()
    doubled(s).backward()
    require_close(x.grad, np.full(3, 100.0))
    assert s.grad == 100.0
    assert grad(doubled)(3.0) == 100.0


def test_forward_mode_uses_the_custom_rule():
    doubled = custom_vjp(lambda x: 2 * x, lambda g, y, x: 2 * g, lambda tangents, y, x: 100 * tangents[0])
    require_close(jvp(doubled, A, B)[1], 100 * B)
    assert jvp(doubled, 3.0, 1.0) == (6.0, 100.0)


def test_the_function_computes_on_plain_arrays():
    seen = []

    @custom_vjp
    def sums(x, y):
        seen.extend([type(x), type(y)])
        return np.add(x, y)

    sums.vjp(lambda g, out, x, y: (g, g))
    found = sums(Value(A), B)
    assert isinstance(found, Tensor)
    assert seen == [np.ndarray, np.ndarray]
    require_close(sums(A, B), A + B)


@pytest.mark.parametrize("derivative", DERIVATIVES)
def test_a_custom_rule_differentiates_to_any_order(derivative):
    take = DERIVATIVES[derivative]
    require_close(take(make_cube()), take(lambda x: x**3))


@pytest.mark.parametrize("kinds", NESTS)
def test_a_custom_rule_nests_on_numbers(kinds):
    found = nested(kinds, make_cube(), grad, lambda f: lambda x: jvp(f, x, 1.0)[1])(2.0)
    require_close(float(found), 6.0)


def test_a_rule_can_use_the_result():
    exp = custom_vjp(lambda x: np.exp(x), lambda g, y, x: g * y)
    require_close(grad(lambda x: exp(x).sum())(A), np.exp(A))
    require_close(grad(lambda x: grad(lambda y: exp(y).sum())(x).sum())(A), np.exp(A))


def test_an_operand_without_a_gradient_gets_zeros():
    product = custom_vjp(lambda x, y: x * y, lambda g, out, x, y: (g * y, None))
    x, y = grad(lambda x, y: product(x, y).sum(), (0, 1))(A, B)
    require_close(x, B)
    require_close(y, np.zeros(3))
    assert grad(product, (0, 1))(2.0, 3.0) == (3.0, 0.0)
    v = Value(B)
    product(A, v).sum().backward()
    require_close(v.grad, np.zeros(3))


def test_constants_among_the_operands_receive_nothing():
    product = custom_vjp(lambda x, y: x * y, lambda g, out, x, y: (g * y, g * x))
    require_close(grad(lambda x: product(x, B).sum())(A), B)
    require_close(grad(lambda x: product(3.0, x).sum())(A), np.full(3, 3.0))


def test_a_gradient_that_broadcasts_is_summed_and_the_dtype_is_the_operands():
    product = custom_vjp(lambda x, y: x * y, lambda g, out, x, y: (g * y, g * x))
    x, y = grad(lambda x, y: product(x, y).sum(), (0, 1))(A.astype(np.float32), np.ones((2, 3)))
    require_close(x, np.full(3, 2.0, np.float32))
    require_close(y, np.stack([A.astype(np.float32)] * 2).astype(float))


@pytest.mark.parametrize("rule", [lambda g, out, x, y: g, lambda g, out, x, y: (g, g, g), lambda g, out, x, y: ()])
def test_a_wrong_number_of_gradients_raises(rule):
    def product(x, y):
        return x * y

    with pytest.raises(errors.ArgumentError, match=r"the vjp of product returned \d gradients for 2 operands"):
        grad(custom_vjp(product, rule))(2.0, 3.0)


@pytest.mark.parametrize("gradient", [np.ones(2), np.ones((3, 2)), "text"])
def test_a_gradient_of_another_shape_raises(gradient):
    def total(x):
        return x.sum()

    with pytest.raises(errors.AdjointError, match="total"):
        grad(custom_vjp(total, lambda g, y, x: gradient))(A)


def test_a_function_without_a_rule_raises_and_the_error_says_how_to_add_one():
    @custom_vjp
    def cube(x):
        return x**3

    for operand in (2.0, A, Value(A)):
        with pytest.raises(errors.MissingRuleError, match=r"cube has no gradient rule; decorate one with @cube\.vjp"):
            cube(operand)
    with pytest.raises(errors.MissingRuleError, match="has no gradient rule"):
        custom_vjp(functools.partial(pow, 2.0))(A)


def test_forward_mode_without_a_forward_rule_raises():
    cube = custom_vjp(lambda x: x**3, lambda g, y, x: 3 * x * x * g)
    with pytest.raises(errors.MissingRuleError, match=r"no rule for forward mode.*give it a jvp"):
        jvp(cube, A, B)


@pytest.mark.parametrize("rule", [3.0, "rule"])
def test_a_rule_that_is_not_a_function_raises(rule):
    with pytest.raises(errors.ArgumentError, match="function"):
        custom_vjp(lambda x: x, rule)
    with pytest.raises(errors.ArgumentError, match="function"):
        custom_vjp(lambda x: x).vjp(rule)


@pytest.mark.parametrize("result", [None, "text"])
def test_a_custom_function_that_returns_something_else_than_numbers_raises(result):
    def odd(x):
        return result

    with pytest.raises(errors.AdjointError, match="odd"):
        custom_vjp(odd, lambda g, y, x: g)(Value(A))


def test_a_custom_rule_works_inside_a_checkpoint_and_no_grad():
    cube = make_cube()
    require_close(grad(lambda x: checkpoint(cube)(x).sum())(A), 3 * A**2)
    with no_grad():
        assert cube(Value(A)).parents == ()


def test_a_rule_can_be_replaced():
    cube = make_cube()
    assert grad(cube)(2.0) == 12.0
    cube.vjp(lambda g, y, x: -g)
    assert grad(cube)(2.0) == -1.0
