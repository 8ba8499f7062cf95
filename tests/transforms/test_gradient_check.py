"""`check_gradients`: correct gradients pass, wrong ones are named, and nothing is changed by checking."""

import math

import numpy as np
import pytest
from closeness import require_close, require_slope

import adjoint
from adjoint import Value, check_gradients, errors

# correct value, wrong derivative: the rule says that the slope of x³ is 2·x
wrong_cube = adjoint.op("wrong_cube", lambda m, x: x * x * x, lambda m, y, x: 2 * x)


def test_a_correct_function_passes_and_the_rows_hold_both_gradients():
    result = check_gradients(lambda x, y: x**2 * y + y.exp(), 3.0, 0.5)
    assert result
    assert result.ok
    assert [row.name for row in result.inputs] == ["x", "y"]
    assert [row.value for row in result.inputs] == [3.0, 0.5]
    expected = [2 * 3.0 * 0.5, 9.0 + math.exp(0.5)]
    require_close([row.analytic for row in result.inputs], expected)
    require_slope([row.numerical for row in result.inputs], expected)
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
    assert "gradient of bad at 5 is 10 by backward()" in message
    assert " 75 by central" in message or " 74.99" in message or " 75.0" in message  # 3·5²
    assert "WRONG" in message
    assert "good" in message


def test_a_wrong_rule_is_reported_without_raising_on_request():
    result = check_gradients(lambda a, b: a * 2 + wrong_cube(b), 1.0, 5.0, raise_on_failure=False)
    assert not result
    assert not result.ok
    assert [row.ok for row in result.inputs] == [True, False]
    assert result.worst.name == "b"
    assert result.worst.analytic == 10.0
    require_slope(result.worst.numerical, 75.0)
    require_slope(result.worst.error, 65.0)


def test_the_report_is_a_table_with_a_row_for_each_input():
    result = check_gradients(lambda a, bb: a * 2 + wrong_cube(bb), 1.0, 5.0, raise_on_failure=False)
    head, rule, first, second = str(result).splitlines()
    assert head.split() == ["input", "value", "backward", "numerical", "error"]
    assert set(rule) == {"─"}
    assert first.split()[:4] == ["a", "1", "2", "2"]
    assert first.split()[-1] == "ok"
    assert second.split()[:4] == ["bb", "5", "10", "75"]
    assert second.split()[-1] == "WRONG"


OPERATIONS = [x for x in (getattr(adjoint, name) for name in dir(adjoint)) if isinstance(x, adjoint.Op)]


@pytest.mark.parametrize("op", OPERATIONS)
def test_every_operation_of_the_table_passes_the_check(op):
    point = [1.3, 2.2] if op is adjoint.acosh else [0.35, 0.8]
    assert check_gradients(op, *point[: len(op.operands)])


@pytest.mark.parametrize("at", [1e-8, 1e-3, 1.0, 1e4, 1e8, -1e8])
def test_the_step_is_scaled_to_the_input(at):
    result = check_gradients(lambda x: x**2 + 3 * x, at)
    require_slope(result.inputs[0].numerical, 2 * at + 3)


def test_the_tolerance_includes_the_rounding_of_a_large_result():
    assert check_gradients(lambda x, y: 1e12 + x * y, 0.5, 2.0)


def test_a_gradient_of_nan_is_always_an_error():
    broken = adjoint.op("broken", lambda m, x: x * 2, lambda m, y, x: float("nan"))
    result = check_gradients(lambda x: broken(x), 1.0, raise_on_failure=False)
    assert not result
    with pytest.raises(errors.GradientError, match="nan by backward"):
        check_gradients(lambda x: broken(x), 1.0)


def test_the_worst_input_is_the_one_with_nan_even_if_others_have_large_errors():
    broken = adjoint.op("broken", lambda m, x: x * 2, lambda m, y, x: float("nan"))
    result = check_gradients(lambda a, b: wrong_cube(a) + broken(b), 50.0, 1.0, raise_on_failure=False)
    assert result.worst.name == "b"


def test_a_kink_shows_as_a_disagreement():
    # at 0 relu'(0) = 0 by convention, and the central difference is a half
    result = check_gradients(lambda x: x.relu(), 0.0, raise_on_failure=False)
    assert not result
    require_slope(result.worst.numerical, 0.5)


def test_the_tolerance_is_an_argument():
    slightly = adjoint.op("slightly", lambda m, x: x * x, lambda m, y, x: 2.001 * x)
    assert not check_gradients(lambda x: slightly(x), 3.0, raise_on_failure=False)
    assert check_gradients(lambda x: slightly(x), 3.0, rtol=1e-2)
    assert check_gradients(lambda x: slightly(x), 3.0, atol=1.0)


def test_the_step_is_an_argument():
    result = check_gradients(lambda x: x**3, 1.0, epsilon=0.5, raise_on_failure=False)
    # (1.5³ − 0.5³) / 1 = 3.25, by hand
    require_close(result.worst.numerical, 3.25)


def test_inputs_can_be_values_and_numpy_scalars_and_labels_name_them():
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


def test_an_operation_made_with_op_can_be_checked():
    cube = adjoint.op("cube", lambda m, x: x * x * x, lambda m, y, x: 3 * x * x)
    assert check_gradients(cube, 1.7)
    with pytest.raises(errors.GradientError):
        check_gradients(wrong_cube, 1.7)


# --- graphs ----------------------------------------------------------------------------------------------


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
    with pytest.raises(errors.GradientError, match=r"gradient of x at 5 is 20 by backward\(\)"):
        check_gradients(out)


def test_only_the_given_leaves_of_a_graph_are_checked():
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


def test_a_failed_check_of_a_graph_changes_no_gradient():
    x = Value(5.0)
    out = wrong_cube(x)
    out.backward()
    with pytest.raises(errors.GradientError):
        check_gradients(out)
    assert (x.grad, out.grad) == (10.0, 1.0)


def test_a_graph_with_constants_and_operations_made_with_op_is_recomputed():
    square = adjoint.op("square", lambda m, x: x * x, lambda m, y, x: 2 * x)
    x = Value(0.7, label="x")
    out = 2 ** square(x - 3) / (1 + x.leaky_relu(0.2)) - 5
    result = check_gradients(out)
    assert result
    assert len(result.inputs) == 1


@pytest.mark.long
def test_a_deep_graph_is_checked_without_recursion():
    x = Value(0.5, label="x")
    out = x
    for _ in range(5_000):
        out = out * 0.9999 + 0.0001
    assert check_gradients(out)


def test_a_graph_of_one_leaf_is_checked():
    assert check_gradients(Value(3.0, label="x")).inputs[0].analytic == 1.0


# --- errors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [3.0, None, "x", [Value(1.0)]])
def test_checking_something_else_than_a_function_or_a_value_raises(given):
    with pytest.raises(errors.ArgumentError, match="needs a function or a Value, not") as raised:
        check_gradients(given, 1.0)
    assert isinstance(raised.value, ValueError)


def test_a_function_that_does_not_return_a_value_raises():
    with pytest.raises(errors.ArgumentError, match=r"must return Values, not float 3\.0"):
        check_gradients(lambda x: 3.0, 1.0)


def test_an_input_that_is_not_a_number_raises():
    with pytest.raises(errors.NumberError, match="number, not str 'a'"):
        check_gradients(lambda x: x, "a")


@pytest.mark.parametrize("epsilon", [0.0, -1e-6, float("nan")])
def test_a_step_that_is_not_positive_raises(epsilon):
    with pytest.raises(errors.ArgumentError, match="epsilon must be greater than 0, not"):
        check_gradients(lambda x: x, 1.0, epsilon=epsilon)


def test_a_step_that_is_not_a_number_raises():
    with pytest.raises(errors.NumberError, match=r"epsilon .*number, not str 'small'"):
        check_gradients(lambda x: x, 1.0, epsilon="small")


def test_an_inner_node_or_a_number_as_an_input_of_a_graph_raises():
    a = Value(2.0)
    inner = a * 3
    out = inner + a
    for given in (inner, 2.0):
        with pytest.raises(errors.ArgumentError, match="inputs of a graph must be leaves of it, not"):
            check_gradients(out, given)


@pytest.mark.parametrize("make_leaf", [lambda: Value(2.0), lambda: Value([2.0, 3.0])])
def test_a_graph_with_an_operation_made_by_hand_raises_and_the_error_names_the_form_that_works(make_leaf):
    a = make_leaf()
    made = Value(4.0, (a,), "square", label="made")
    made._backward = lambda: None
    message = r"label='made'.* made by hand.*check_gradients\(f, x\) instead of check_gradients\(f\(x\)\)"
    with pytest.raises(errors.GraphError, match=message):
        check_gradients(made * 2)


def test_a_graph_whose_backward_was_assigned_by_hand_raises():
    a = Value(2.0)
    square = a * a
    square._backward = lambda: None  # recomputing the graph would not use it, and would find nothing wrong
    with pytest.raises(errors.GraphError, match=r"assigned by hand.*check_gradients\(f, x\)"):
        check_gradients(square * 3)


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


def test_a_freed_graph_raises():
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


def test_a_leaf_of_another_graph_raises():
    a, b = Value(2.0), Value(3.0)
    b.grad = 5.0
    with pytest.raises(errors.ArgumentError, match="inputs of a graph must be leaves of it"):
        check_gradients(a * a, b)
    assert b.grad == 5.0


def test_a_check_without_inputs_raises():
    with pytest.raises(errors.ArgumentError, match="at least one input"):
        check_gradients(lambda: Value(1.0))


# --- arrays ----------------------------------------------------------------------------------------------

A, B = np.array([0.5, -1.2, 2.0]), np.array([1.5, 0.3, -0.7])


def test_a_small_array_is_checked_element_by_element_in_both_modes():
    result = check_gradients(lambda x: (x**3).sum(), A)
    assert [row.name for row in result.inputs] == [name for i in range(3) for name in (f"x[{i}]", f"x[{i}] forward")]
    assert [row.value for row in result.inputs] == [x for x in A for _ in range(2)]
    require_close([row.analytic for row in result.inputs], [3 * x**2 for x in A for _ in range(2)])
    require_slope([row.numerical for row in result.inputs], [3 * x**2 for x in A for _ in range(2)])


def test_the_elements_of_a_matrix_are_named_by_their_indices():
    names = [row.name for row in check_gradients(lambda w, s: w * s, np.ones((2, 2)), 3.0).inputs]
    assert names[::2] == ["w[0, 0]", "w[0, 1]", "w[1, 0]", "w[1, 1]", "s"]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x,
        lambda x: adjoint.softmax(x),
        lambda x: adjoint.outer(x, x),
        lambda x: (x.sum(), {"squares": x**2}),
        lambda x: x[np.array([0, 0, 1])],
        lambda x: x.at[0].set(x[1] * x[2]),
        lambda x: adjoint.checkpoint(lambda y: y.sin() * x)(x),
        lambda x: 3.0 * x[0],
    ],
)
def test_correct_functions_of_arrays_pass_in_both_modes_and_orders(function):
    assert check_gradients(function, A)
    assert check_gradients(function, A, order=2)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.float64])
def test_the_check_is_in_double_precision_for_every_dtype(dtype):
    x = np.array([1, 2, 3], dtype)
    result = check_gradients(lambda x: (x**3).sum(), x)
    require_slope([row.error for row in result.inputs], [0.0] * len(result.inputs), scale=27.0)
    assert x.tolist() == [1, 2, 3]


def test_a_wrong_partial_of_an_operation_is_found_on_arrays():
    x = np.array([1.0, 2.0, 5.0])
    result = check_gradients(lambda x: wrong_cube(x).sum(), x, raise_on_failure=False)
    assert not any(row.ok for row in result.inputs)
    assert result.worst.analytic == 10.0
    require_slope(result.worst.numerical, 75.0)
    with pytest.raises(errors.GradientError, match=r"gradient of x\[2\]"):
        check_gradients(lambda x: wrong_cube(x).sum(), x)


def test_the_one_wrong_element_is_named():
    @adjoint.custom_vjp
    def square(x):
        return x**2

    square.vjp(lambda g, y, x: 2 * x * g * np.array([1.0, 1.01, 1.0]))
    square.jvp(lambda tangents, y, x: 2 * x * tangents[0])
    result = check_gradients(lambda x: square(x), A, raise_on_failure=False)
    assert [row.name for row in result.inputs if not row.ok] == ["x[1]"]


def test_a_wrong_rule_of_a_function_without_a_forward_rule_is_found():
    wrong = adjoint.custom_vjp(lambda x: x**3, lambda g, y, x: g * x)
    right = adjoint.custom_vjp(lambda x: x**3, lambda g, y, x: g * 3 * x * x)
    assert not check_gradients(lambda x: wrong(x), A, raise_on_failure=False)
    result = check_gradients(lambda x: right(x), A)
    assert [row.name for row in result.inputs] == ["x[0]", "x[1]", "x[2]"]


def test_a_wrong_rule_for_forward_mode_is_found_by_the_forward_rows():
    wrong = adjoint.custom_vjp(lambda x: x**3, lambda g, y, x: g * 3 * x * x, lambda ts, y, x: ts[0] * x)
    result = check_gradients(lambda x: wrong(x), A, raise_on_failure=False)
    assert [row.name for row in result.inputs if not row.ok] == ["x[0] forward", "x[1] forward", "x[2] forward"]
    with pytest.raises(errors.GradientError, match="forward"):
        check_gradients(lambda x: wrong(x), A)


def half_constant(g, y, x):
    """Return the gradient of x³, with one factor detached."""
    return g * 3 * x * (x.detach() if isinstance(x, Value) else x)


def test_a_wrong_second_derivative_is_found_only_with_order_2():
    wrong = adjoint.custom_vjp(lambda x: x**3, half_constant, lambda ts, y, x: 3 * x * x * ts[0])
    assert check_gradients(lambda x: wrong(x), A)
    result = check_gradients(lambda x: wrong(x), A, order=2, raise_on_failure=False)
    assert [row.name for row in result.inputs if not row.ok] == ["x[0] second", "x[1] second", "x[2] second"]


def test_numbers_are_checked_to_the_second_order():
    result = check_gradients(lambda x, y: x**2 * y, 2.0, 3.0, order=2)
    assert [row.name for row in result.inputs] == ["x", "x forward", "x second", "y", "y forward", "y second"]
    wrong = adjoint.custom_vjp(lambda x: x**3, half_constant, lambda ts, y, x: 3 * x * x * ts[0])
    result = check_gradients(lambda x: wrong(x), 2.0, order=2, raise_on_failure=False)
    assert [row.name for row in result.inputs if not row.ok] == ["x second"]


def test_a_large_array_is_checked_along_random_directions():
    x = np.linspace(-1, 1, 1000).reshape(10, 100)
    result = check_gradients(lambda x: (x**3).sum(), x, directions=5)
    assert [row.name for row in result.inputs[::2]] == [f"x along {k}" for k in range(1, 6)]
    assert [row.name for row in result.inputs[1::2]] == [f"x along {k} forward" for k in range(1, 6)]
    assert len(check_gradients(lambda x: (x**3).sum(), x).inputs) == 16


def test_directions_are_determined_by_the_seed():
    def slopes(**options):
        result = check_gradients(lambda x: (x**3).sum(), np.linspace(-1, 1, 100), **options)
        return [row.analytic for row in result.inputs]

    assert slopes() == slopes()
    assert slopes(seed=1) != slopes()


def test_one_wrong_element_of_a_large_array_is_found():
    factor = np.ones(500)
    factor[123] = 1.1
    wrong = adjoint.custom_vjp(lambda x: x**2, lambda g, y, x: 2 * x * g * factor, lambda ts, y, x: 2 * x * ts[0])
    result = check_gradients(lambda x: wrong(x).sum(), np.linspace(1, 2, 500), raise_on_failure=False)
    assert not result
    assert all(row.ok for row in result.inputs if row.name.endswith("forward"))


def test_the_leaves_of_a_pytree_are_numbered_under_its_name():
    result = check_gradients(lambda p, q: p["w"] * p["b"][0] + q, {"w": A, "b": [2.0]}, 3.0)
    assert [row.name for row in result.inputs[::2]] == ["p.1[0]", "p.1[1]", "p.1[2]", "p.2", "q"]


def test_values_given_as_inputs_name_their_rows_and_keep_their_gradients():
    w = Value(A, label="w")
    w.grad = B.copy()
    names = [row.name for row in check_gradients(lambda x, y: x * y, w, B).inputs]
    assert names[0] == "w[0]"
    assert names[-1] == "y[2] forward"
    assert w.grad.tolist() == B.tolist()


def test_captured_arrays_are_constants_of_the_check():
    w = Value(A)
    w.grad = B.copy()
    assert {row.name.split()[0] for row in check_gradients(lambda x: (x * w).sum(), 2.0).inputs} == {"x"}
    assert check_gradients(lambda x: (x * w).exp(), B, order=2)
    assert w.grad.tolist() == B.tolist()
    assert w.data.tolist() == A.tolist()


def test_a_function_of_numbers_that_gives_an_array_or_several_results_is_checked():
    assert check_gradients(lambda s: s**2 * A, 2.0)
    assert not check_gradients(lambda s: wrong_cube(s) * A, 2.0, raise_on_failure=False)
    assert check_gradients(lambda s, t: (s * t, [s + t]), 2.0, 3.0)
    assert not check_gradients(lambda s, t: (s * t, [wrong_cube(t)]), 2.0, 3.0, raise_on_failure=False)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (2, 1, 2)])
def test_arrays_with_few_elements_are_checked(shape):
    result = check_gradients(lambda x: x**2 * 3, np.full(shape, 0.5))
    assert result
    assert len(result.inputs) >= max(1, math.prod(shape))


def test_an_empty_array_passes():
    assert check_gradients(lambda x, y: x.sum() * y, np.zeros((0, 2)), 2.0)


def test_arrays_of_other_libraries_are_checked_as_numpy_arrays():
    torch = pytest.importorskip("torch")
    assert check_gradients(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]))
    assert not check_gradients(lambda x: wrong_cube(x).sum(), torch.tensor([1.0, 2.0]), raise_on_failure=False)


def test_a_graph_of_arrays_is_checked_from_its_leaves():
    w, b, s = Value([[0.1, 0.2], [0.3, 0.4]], label="W"), Value([1.0, 2.0], label="b"), Value(2.0, label="s")
    loss = (((w @ b).tanh() + b * s) ** 2).sum()
    loss.backward()
    w.grad = np.full((2, 2), 7.0)
    for order in (1, 2):
        result = check_gradients(loss, order=order)
        names = {row.name.split("[")[0].split()[0] for row in result.inputs}
        assert names == {"W", "b", "s"}
    assert w.grad.tolist() == [[7.0, 7.0], [7.0, 7.0]]
    assert {row.name[0] for row in check_gradients(loss, b).inputs} == {"b"}


def test_a_graph_whose_root_is_an_array_is_checked():
    w = Value(A, label="w")
    assert check_gradients(adjoint.softmax(w * 2))
    assert check_gradients(w[np.array([0, 0, 2])] * adjoint.norm(w), order=2)


def test_a_graph_with_a_checkpoint_raises_and_the_error_names_the_form_that_works():
    w = Value(A, label="w")
    with pytest.raises(errors.GraphError, match=r"made by checkpoint.*check_gradients\(f, x\)"):
        check_gradients(adjoint.checkpoint(lambda x: x.sin() * w)(w * 2).sum())


def test_a_wrong_rule_in_a_graph_of_arrays_is_found():
    w, b = Value(A, label="w"), Value(B, label="b")
    loss = (wrong_cube(w * 1) * b).sum()
    result = check_gradients(loss, raise_on_failure=False)
    assert {row.name[0] for row in result.inputs if not row.ok} == {"w"}
    assert {row.name[0] for row in result.inputs if row.ok} == {"b"}


def test_an_inner_node_or_an_array_as_an_input_of_a_graph_of_arrays_raises():
    w = Value(A)
    inner = w * 2
    for given in (inner, A, 2.0):
        with pytest.raises(errors.ArgumentError, match="inputs of a graph must be leaves of it, not"):
            check_gradients(inner.sum(), given)


def test_a_kink_of_an_array_shows_as_a_disagreement():
    result = check_gradients(lambda x: x.relu(), np.array([0.0, 1.0]), raise_on_failure=False)
    assert [row.ok for row in result.inputs] == [False, False, True, True]


def test_nan_in_an_array_agrees_with_nothing():
    result = check_gradients(lambda x: x.log(), np.array([-1.0, 1.0]), raise_on_failure=False)
    assert not result


def test_tolerances_and_steps_apply_to_arrays():
    slightly = adjoint.op("slightly", lambda m, x: x * x, lambda m, y, x: 2.001 * x)
    assert not check_gradients(lambda x: slightly(x), A, raise_on_failure=False)
    assert check_gradients(lambda x: slightly(x), A, rtol=1e-2)
    assert check_gradients(lambda x: slightly(x), A, atol=1.0)
    assert not check_gradients(lambda x: (x**3).sum(), A, epsilon=0.5, raise_on_failure=False)


@pytest.mark.parametrize("result", [None, "text", object()])
def test_a_function_of_arrays_that_does_not_return_numbers_raises(result):
    with pytest.raises(errors.AdjointError, match=r"function must return|needs a number"):
        check_gradients(lambda x: result, A)


@pytest.mark.parametrize("given", ["text", object(), np.array(["a"])])
def test_an_input_that_is_not_a_number_raises_if_others_are_arrays(given):
    with pytest.raises(errors.AdjointError, match="number"):
        check_gradients(lambda x, y: x, A, given)


@pytest.mark.parametrize("order", [0, 3, 1.5, "two", None])
def test_an_order_other_than_1_and_2_raises(order):
    with pytest.raises(errors.ArgumentError, match="order 1 or 2, not"):
        check_gradients(lambda x: x, A, order=order)


@pytest.mark.parametrize("directions", [0, -1, 2.5, "many"])
def test_a_number_of_directions_below_1_raises(directions):
    with pytest.raises(errors.ArgumentError, match="directions"):
        check_gradients(lambda x: x, np.ones(100), directions=directions)


@pytest.mark.parametrize("given", [3.0, None, "x"])
def test_checking_something_else_than_a_function_or_a_value_at_arrays_raises(given):
    with pytest.raises(errors.ArgumentError, match="needs a function or a Value, not"):
        check_gradients(given, A)


def test_the_repr_names_the_wrong_inputs():
    wrong = adjoint.op("repr_wrong", lambda m, x, y: x * y, lambda m, z, x, y: y, lambda m, z, x, y: 2 * x)
    result = check_gradients(wrong, 2.0, 3.0, raise_on_failure=False)
    assert repr(result) == "GradientCheck(2 inputs; wrong: y)"
    assert '<td style="text-align:left">WRONG</td>' in result._repr_mimebundle_()["text/html"]
