"""Forward mode visits each node once, in one sweep, and never runs a backward pass."""

import numpy as np
import pytest
from closeness import require_close, require_slope

import adjoint
from adjoint import Value, custom_vjp, errors, grad, jacobian, jvp, no_grad
from adjoint.arrays.array_rule import ArrayOp
from adjoint.arrays.forward_mode import push

A = np.array([0.5, -1.2, 2.0])
B = np.array([1.5, 0.3, -0.7])


def counting_square(calls: list):
    """Return a square that records each call of its forward rule, and whose backward rule must not be called."""

    def never(g, y, x):
        raise AssertionError("forward mode asked for a vector-Jacobian product")

    def rule(tangents, y, x):
        calls.append(1)
        return 2 * x * tangents[0]

    return custom_vjp(lambda x: x * x, never, rule)


def chain(length: int, calls: list):
    """Return a function that chains `length` counting squares."""
    square = counting_square(calls)

    def function(x):
        for _ in range(length):
            x = square(x) * 0.5
        return x

    return function


@pytest.fixture
def no_backward(monkeypatch):
    """Make every backward pass and every vector-Jacobian product fail."""

    def never(*arguments, **options):
        raise AssertionError("forward mode ran something of reverse mode")

    monkeypatch.setattr("adjoint.transforms.linearization._pull", never)
    monkeypatch.setattr("adjoint.arrays.backward_pass.pull", never)
    monkeypatch.setattr(ArrayOp, "vjp", never)
    monkeypatch.setattr(ArrayOp, "contributions", never)


PROGRAMS = {
    "elementwise": lambda x: (x * 2 + x.sin()) / (1 + x.exp()),
    "reductions": lambda x: x.max() * x.mean() + adjoint.logsumexp(x) + x.prod(),
    "products": lambda x: (adjoint.outer(x, x) @ x) @ x,
    "shapes and indices": lambda x: adjoint.concat([x[::-1], x[np.array([0, 0])], x.reshape(3, 1).T[0]]),
    "updates": lambda x: x.at[0].set(x[1] * 2) * adjoint.where(x.data > 0, x, 3.0),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_forward_mode_runs_no_backward_pass(no_backward, name):
    function, step = PROGRAMS[name], 1e-6
    value, moved = jvp(function, A, B)
    above, below = (function(Value(A + sign * step * B)).data for sign in (1, -1))
    require_slope(moved, (above - below) / (2 * step))
    np.testing.assert_array_equal(value, function(Value(A)).data)


def test_forward_mode_over_forward_mode_runs_no_backward_pass(no_backward):
    found = jvp(lambda x: jvp(lambda y: y**3, x, B)[1], A, B)[1]
    require_close(found, 6 * A * B * B)
    assert jvp(lambda x: jvp(lambda y: y**3, x, 1.0)[1], 2.0, 1.0)[1] == 12.0


def test_a_jacobian_in_forward_mode_runs_no_backward_pass(no_backward):
    require_close(jacobian(lambda x: x**2, mode="forward")(A), np.diag(2 * A))


def test_the_jacobian_of_few_inputs_and_many_results_uses_forward_mode(no_backward):
    found = jacobian(lambda s: s**2 * A)(3.0)
    require_close(found, 6 * A)


@pytest.mark.parametrize("length", [1, 10, 100])
def test_a_sweep_reads_the_rule_of_each_operation_once(length):
    calls: list = []
    jvp(chain(length, calls), A, B)
    assert len(calls) == length


def test_a_node_that_is_used_often_is_visited_once():
    calls: list = []
    square = counting_square(calls)

    def function(x):
        for _ in range(30):  # 2³⁰ paths
            x = square(x)
            x = (x + x) * 0.1
        return x

    jvp(function, A, B)
    assert len(calls) == 30


def test_a_sweep_skips_nodes_that_do_not_depend_on_the_inputs():
    calls: list = []
    square = counting_square(calls)
    w = Value(B)
    moved = jvp(lambda x: x * square(square(w)), A, B)[1]
    require_close(moved.data, B * B**4)
    assert calls == []


def test_forward_mode_over_forward_mode_reads_each_rule_twice_at_most():
    def rules_read(length):
        calls: list = []
        function = chain(length, calls)
        jvp(lambda x: jvp(function, x, B)[1], A, B)
        return len(calls)

    assert 10 <= rules_read(10) <= 2 * 10
    assert 40 <= rules_read(40) <= 2 * 40


def test_several_results_are_reached_in_one_sweep():
    calls: list = []
    square = counting_square(calls)

    def function(x):
        y = square(x)
        return y, y.sum(), [square(y)]

    first, second, (third,) = jvp(function, A, B)[1]
    assert len(calls) == 2
    require_close(first, 2 * A * B)
    require_close(second, (2 * A * B).sum())
    require_close(third, 4 * A**3 * B)


def test_a_result_may_be_an_input_or_depend_on_another_result():
    x = Value(A)
    y = x * 2
    z = y.sin()
    found = push([z, y, x, 3.0, Value(1.0)], {x: B}, False)
    require_close(found[0], np.cos(2 * A) * 2 * B)
    require_close(found[1], 2 * B)
    assert found[2] is B
    assert found[3:] == [None, None]


def test_an_inner_node_as_input_cuts_the_graph_behind_it():
    x = Value(A)
    y = x * 2
    z = x * y
    (found,) = push([z], {y: B}, False)
    require_close(found, A * B)


def test_tangents_of_numbers_and_arrays_combine():
    s, x = 3.0, A
    moved = jvp(lambda s, x: (s * x) ** 2, (s, x), (1.0, B))[1]
    require_close(moved, 2 * s * x * (x + s * B))
    moved = jvp(lambda s: s * s.exp() + (s * x).sum(), 3.0, 1.0)[1]
    require_close(float(moved), np.exp(3.0) * 4 + A.sum())


def test_the_tangent_of_a_broadcast_element_reaches_every_copy():
    x, y = np.ones((3, 1)), np.ones((1, 4))
    moved = jvp(lambda x, y: x + y, (x, y), (x, 0 * y))[1]
    assert moved.shape == (3, 4)
    np.testing.assert_array_equal(moved, np.ones((3, 4)))


@pytest.mark.parametrize("shape", [(0,), (2, 0), (1,), (1, 1)])
def test_forward_mode_handles_empty_arrays_and_arrays_of_one_element(shape):
    x = np.full(shape, 2.0)
    moved = jvp(lambda x: (x**3, x.sum()), x, np.ones(shape))[1]
    np.testing.assert_array_equal(moved[0], np.full(shape, 12.0))
    assert float(moved[1]) == x.size


def test_a_long_chain_is_swept_without_recursion():
    def function(x):
        for _ in range(50_000):
            x = x * 1.00001
        return x

    require_close(jvp(function, 2.0, 1.0)[1], 1.00001**50_000)


def test_forward_mode_through_a_node_made_by_hand_raises_an_error():
    def square(x):
        out = Value(x.data**2, (x,), "square")
        out._backward = lambda: None
        return out

    with pytest.raises(errors.GraphError, match="made by hand: forward mode needs a rule"):
        jvp(square, 3.0, 1.0)


def test_forward_mode_through_a_freed_graph_raises_an_error():
    def function(x):
        y = (x * x).sum()
        y.backward(retain_graph=False)
        return y * 2

    with pytest.raises(errors.GraphError, match="was freed"):
        jvp(function, A, B)


def test_data_assigned_after_its_use_raises_an_error():
    w = Value(B)

    def function(x):
        y = x * w
        w.data = w.data * 100
        return y

    with pytest.raises(errors.GraphError, match="assigned after"):
        jvp(function, A, B)


def test_forward_mode_inside_no_grad_returns_plain_numbers():
    w = Value(B)
    with no_grad():
        value, moved = jvp(lambda x: x * w, A, B)
    assert isinstance(value, np.ndarray)
    assert isinstance(moved, np.ndarray)
    require_close(moved, B * B)


def test_a_tangent_can_be_differentiated_in_reverse_for_a_captured_parameter():
    w = Value(B)
    jvp(lambda x: (x * w) ** 2, A, B)[1].sum().backward()
    require_close(w.grad, 4 * A * B * B)  # d/dw of 2·x·w²·v
    found = grad(lambda w: jvp(lambda x: (x * w) ** 2, A, B)[1].sum())(B)
    require_close(found, 4 * A * B * B)
