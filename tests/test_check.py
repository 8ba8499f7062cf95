"""Numerical checks: right gradients pass, wrong ones are named, and nothing is changed by checking."""

import math

import numpy as np
import pytest

import adjoint
from adjoint import Value, check_gradients, errors

# right value, wrong derivative: 2·x is claimed to be the slope of x³
wrong_cube = adjoint.op("wrong_cube", lambda m, x: x * x * x, lambda m, y, x: 2 * x)


def test_a_right_function_passes_and_shows_both_gradients_of_each_input():
    result = check_gradients(lambda x, y: x**2 * y + y.exp(), 3.0, 0.5)
    assert result
    assert result.ok
    assert [row.name for row in result.inputs] == ["x", "y"]
    assert [row.value for row in result.inputs] == [3.0, 0.5]
    expected = [2 * 3.0 * 0.5, 9.0 + math.exp(0.5)]
    assert [row.analytic for row in result.inputs] == pytest.approx(expected, rel=1e-14)
    assert [row.numerical for row in result.inputs] == pytest.approx(expected, rel=1e-8)
    for row in result.inputs:
        assert row.error == abs(row.analytic - row.numerical)
        assert row.error <= row.tolerance


def test_a_wrong_rule_is_found_and_the_worst_input_is_named():
    def program(good, bad):
        return good * 2 + wrong_cube(bad)

    with pytest.raises(errors.GradientError) as raised:
        check_gradients(program, 1.0, 5.0)
    assert isinstance(raised.value, AssertionError)
    message = str(raised.value)
    assert "gradient of bad at 5.0 is 10.0 by backward()" in message
    assert "75.0" in message or "74.99" in message  # 3·5²
    assert "WRONG" in message
    assert "good" in message


def test_a_wrong_rule_is_reported_without_raising_when_asked():
    result = check_gradients(lambda a, b: a * 2 + wrong_cube(b), 1.0, 5.0, raise_on_failure=False)
    assert not result
    assert not result.ok
    assert [row.ok for row in result.inputs] == [True, False]
    assert result.worst.name == "b"
    assert result.worst.analytic == 10.0
    assert result.worst.numerical == pytest.approx(75.0, rel=1e-8)
    assert result.worst.error == pytest.approx(65.0, rel=1e-8)


def test_the_report_is_a_table_with_a_row_for_each_input():
    result = check_gradients(lambda a, bb: a * 2 + wrong_cube(bb), 1.0, 5.0, raise_on_failure=False)
    head, first, second = str(result).splitlines()
    assert head.split() == ["input", "value", "backward", "numerical", "error"]
    assert first.split()[:4] == ["a", "1", "2", "2"]
    assert first.split()[-1] == "ok"
    assert second.split()[:4] == ["bb", "5", "10", "75"]
    assert second.split()[-1] == "WRONG"


@pytest.mark.parametrize("op", [op for op in vars(adjoint).values() if isinstance(op, adjoint.Op)])
def test_every_operation_of_the_table_passes_the_check(op):
    point = [1.3, 2.2] if op is adjoint.acosh else [0.35, 0.8]
    assert check_gradients(op, *point[: len(op.operands)])


@pytest.mark.parametrize("at", [1e-8, 1e-3, 1.0, 1e4, 1e8, -1e8])
def test_the_step_is_scaled_to_the_input(at):
    result = check_gradients(lambda x: x**2 + 3 * x, at)
    assert result.inputs[0].numerical == pytest.approx(2 * at + 3, rel=1e-7)


def test_a_large_result_is_allowed_its_own_rounding():
    assert check_gradients(lambda x, y: 1e12 + x * y, 0.5, 2.0)


def test_a_gradient_of_nan_is_never_right():
    broken = adjoint.op("broken", lambda m, x: x * 2, lambda m, y, x: float("nan"))
    result = check_gradients(lambda x: broken(x), 1.0, raise_on_failure=False)
    assert not result
    with pytest.raises(errors.GradientError, match="nan by backward"):
        check_gradients(lambda x: broken(x), 1.0)


def test_the_worst_input_is_the_one_with_nan_even_beside_large_errors():
    broken = adjoint.op("broken", lambda m, x: x * 2, lambda m, y, x: float("nan"))
    result = check_gradients(lambda a, b: wrong_cube(a) + broken(b), 50.0, 1.0, raise_on_failure=False)
    assert result.worst.name == "b"


def test_a_kink_shows_as_a_disagreement():
    # at 0 relu'(0) = 0 by convention, and the central difference is a half
    result = check_gradients(lambda x: x.relu(), 0.0, raise_on_failure=False)
    assert not result
    assert result.worst.numerical == pytest.approx(0.5)


def test_a_tolerance_may_be_given():
    slightly = adjoint.op("slightly", lambda m, x: x * x, lambda m, y, x: 2.001 * x)
    assert not check_gradients(lambda x: slightly(x), 3.0, raise_on_failure=False)
    assert check_gradients(lambda x: slightly(x), 3.0, rtol=1e-2)
    assert check_gradients(lambda x: slightly(x), 3.0, atol=1.0)


def test_a_step_may_be_given():
    result = check_gradients(lambda x: x**3, 1.0, epsilon=0.5, raise_on_failure=False)
    # (1.5³ − 0.5³) / 1 = 3.25, by hand
    assert result.worst.numerical == pytest.approx(3.25, rel=1e-15)


def test_inputs_may_be_values_and_numpy_scalars_and_are_named_by_their_labels():
    x = Value(2.0, label="width")
    x.grad = 4.0
    result = check_gradients(lambda a, b: a * b, x, np.float32(0.5))
    assert [row.name for row in result.inputs] == ["width", "b"]
    assert x.grad == 4.0


def test_a_function_of_any_number_of_inputs_is_checked():
    result = check_gradients(lambda *xs: sum(x * x for x in xs), 1.0, 2.0, 3.0)
    assert [row.name for row in result.inputs] == ["x1", "x2", "x3"]
    assert [row.analytic for row in result.inputs] == [2.0, 4.0, 6.0]


def test_a_function_that_does_not_use_an_input_passes_with_zero():
    result = check_gradients(lambda x, unused: x * 2, 1.0, 5.0)
    assert (result.inputs[1].analytic, result.inputs[1].numerical) == (0.0, 0.0)


def test_an_operation_of_ones_own_is_checked_alone():
    cube = adjoint.op("cube", lambda m, x: x * x * x, lambda m, y, x: 3 * x * x)
    assert check_gradients(cube, 1.7)
    with pytest.raises(errors.GradientError):
        check_gradients(wrong_cube, 1.7)


# --- of a graph ----------------------------------------------------------------------------------


def test_a_graph_is_checked_from_its_leaves():
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    shared = a * b
    out = shared.tanh() * shared + a / b
    result = check_gradients(out)
    assert result
    assert {row.name: row.value for row in result.inputs} == {"a": 2.0, "b": -3.0}


def test_leaves_without_labels_are_numbered():
    names = [row.name for row in check_gradients(Value(2.0) * Value(3.0)).inputs]
    assert sorted(names) == ["leaf 1", "leaf 2"]


def test_a_wrong_rule_inside_a_graph_is_found():
    x, y = Value(5.0, label="x"), Value(2.0, label="y")
    out = wrong_cube(x * 1) * y
    with pytest.raises(errors.GradientError, match=r"gradient of x at 5.0 is 20.0 by backward\(\)"):
        check_gradients(out)


def test_only_the_asked_leaves_of_a_graph_are_checked():
    x, y = Value(5.0, label="x"), Value(2.0, label="y")
    out = wrong_cube(x) * y
    result = check_gradients(out, y)
    assert [row.name for row in result.inputs] == ["y"]
    assert result.inputs[0].analytic == 125.0


def test_checking_a_graph_changes_no_data_and_no_gradient():
    a, b = Value(2.0), Value(-3.0)
    inner = a * b
    out = inner.tanh() + a
    out.backward()
    a.grad = 0.125
    before = [(v.data, v.grad) for v in (a, b, inner, out)]
    check_gradients(out)
    assert [(v.data, v.grad) for v in (a, b, inner, out)] == before


def test_a_failed_check_of_a_graph_changes_no_gradient_either():
    x = Value(5.0)
    out = wrong_cube(x)
    out.backward()
    with pytest.raises(errors.GradientError):
        check_gradients(out)
    assert (x.grad, out.grad) == (10.0, 1.0)


def test_a_graph_with_constants_and_operations_of_ones_own_is_recomputed():
    square = adjoint.op("square", lambda m, x: x * x, lambda m, y, x: 2 * x)
    x = Value(0.7, label="x")
    out = 2 ** square(x - 3) / (1 + x.leaky_relu(0.2)) - 5
    result = check_gradients(out)
    assert result
    assert len(result.inputs) == 1


def test_a_deep_graph_is_checked_without_recursion():
    x = Value(0.5, label="x")
    out = x
    for _ in range(20_000):
        out = out * 0.9999 + 0.0001
    assert check_gradients(out)


def test_a_leaf_alone_is_checked():
    assert check_gradients(Value(3.0, label="x")).inputs[0].analytic == 1.0


# --- what cannot be checked ----------------------------------------------------------------------


@pytest.mark.parametrize("given", [3.0, None, "x", [Value(1.0)]])
def test_something_else_than_a_function_or_a_value_is_refused(given):
    with pytest.raises(errors.ArgumentError, match="needs a function or a Value, not") as raised:
        check_gradients(given, 1.0)
    assert isinstance(raised.value, ValueError)


def test_a_function_that_returns_no_value_is_refused():
    with pytest.raises(errors.ArgumentError, match=r"must return a Value, not float 3\.0"):
        check_gradients(lambda x: 3.0, 1.0)


def test_an_input_that_is_no_number_is_refused():
    with pytest.raises(errors.NumberError, match="number, not str 'a'"):
        check_gradients(lambda x: x, "a")


@pytest.mark.parametrize("epsilon", [0.0, -1e-6, float("nan")])
def test_a_step_that_is_not_positive_is_refused(epsilon):
    with pytest.raises(errors.ArgumentError, match="epsilon must be greater than 0, not"):
        check_gradients(lambda x: x, 1.0, epsilon=epsilon)


def test_a_step_that_is_no_number_is_refused():
    with pytest.raises(errors.NumberError, match=r"epsilon .*number, not str 'small'"):
        check_gradients(lambda x: x, 1.0, epsilon="small")


def test_an_inner_node_or_a_number_as_an_input_of_a_graph_is_refused():
    a = Value(2.0)
    inner = a * 3
    out = inner + a
    for given in (inner, 2.0):
        with pytest.raises(errors.ArgumentError, match="inputs are leaves of it, not"):
            check_gradients(out, given)


def test_a_node_made_by_hand_is_refused_for_it_cannot_be_recomputed():
    a = Value(2.0)
    made = Value(4.0, (a,), "square", label="made")
    made._backward = lambda: None
    with pytest.raises(errors.GraphError, match=r"label='made'.* made by hand.*cannot be recomputed"):
        check_gradients(made * 2)


def test_a_function_with_operations_written_by_hand_is_checked_by_its_results():
    def square(x, slope):
        out = Value(x.data**2, (x,), "square")

        def _backward():
            x.grad += slope * x.data * out.grad

        out._backward = _backward
        return out

    assert check_gradients(lambda x: square(x, 2) * x, 3.0)
    with pytest.raises(errors.GradientError):
        check_gradients(lambda x: square(x, 3) * x, 3.0)


def test_a_freed_graph_is_refused():
    a = Value(2.0)
    b = a * 3
    b.backward(retain_graph=False)
    with pytest.raises(errors.GraphError, match="was freed"):
        check_gradients(b * 2)


def test_a_wrong_gradient_at_a_large_input_is_found():
    wrong = adjoint.op("wrong", lambda m, x: x * x, lambda m, y, x: 3 * x)
    right = adjoint.op("right", lambda m, x: x * x, lambda m, y, x: 2 * x)
    for x in (1e-3, 1.0, 1e4, 1e8):
        assert not check_gradients(wrong, x, raise_on_failure=False)
        assert check_gradients(right, x)


def test_a_check_leaves_captured_values_as_they_were():
    w = Value(3.0)
    w.grad = 1.0
    check_gradients(lambda x: x * w, 2.0)
    assert w.grad == 1.0


def test_a_leaf_of_another_graph_is_refused():
    a, b = Value(2.0), Value(3.0)
    b.grad = 5.0
    with pytest.raises(errors.ArgumentError, match="inputs are leaves of it"):
        check_gradients(a * a, b)
    assert b.grad == 5.0


def test_a_check_without_inputs_is_refused():
    with pytest.raises(errors.ArgumentError, match="at least one input"):
        check_gradients(lambda: Value(1.0))
