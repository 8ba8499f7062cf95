"""The graph of a Value: its traversal orders, its leaves, and recomputing it."""

import numpy as np
import pytest
from closeness import require_close

from adjoint import Value, op
from adjoint.engine.graph import backward_order, evaluation_order, leaves_of, recompute
from adjoint.errors import GraphError


def test_the_backward_order_has_each_node_before_its_parents():
    a, b = Value(2.0), Value(3.0)
    c = a * b
    d = c + a
    e = d * c
    order = backward_order(e)
    assert set(order) == {c, d, e}
    assert order.index(e) < order.index(d) < order.index(c)
    assert leaves_of(e) == [a, b]


def test_the_evaluation_order_has_each_node_after_its_parents():
    a = Value(2.0)
    b = a.exp()
    c = a * b
    assert evaluation_order(c) == [a, b, c]
    assert evaluation_order(a) == [a]


def test_recomputing_a_graph_with_other_leaves_gives_their_result():
    a, b = Value(2.0, label="a"), Value(-3.0)
    c = (a * b + 1).tanh() / 2
    assert recompute(c, {}) == c.data
    assert recompute(c, {a: 0.25, b: 4.0}) == np.tanh(2.0) / 2
    assert (a.data, b.data) == (2.0, -3.0)


def test_recomputing_a_graph_with_values_gives_a_graph_with_the_same_labels():
    a = Value(2.0)
    b = a * 3
    b.label = "b"
    c = b.exp()
    x = Value(0.5)
    again = recompute(c, {a: x})
    again.backward()
    assert again.parents[0].label == "b"
    require_close(x.grad, 3 * np.exp(1.5))
    assert a.grad == 0.0


def test_a_graph_of_arrays_can_be_recomputed():
    w = Value([1.0, 2.0])
    loss = (w * w).sum(axis=0, keepdims=True)
    assert recompute(loss, {w: np.array([3.0, 4.0])}).tolist() == [25.0]


def test_a_node_made_by_hand_cannot_be_recomputed():
    x = Value(2.0)
    y = Value(4.0, (x,), "double") * 2
    with pytest.raises(GraphError, match=r"made by hand and has no rule.*use the function that made it"):
        recompute(y, {x: 3.0})


def test_a_custom_operation_can_be_recomputed():
    cube = op("cube", lambda m, x: x * x * x, lambda m, y, x: 3 * x * x)
    x = Value(2.0)
    assert recompute(cube(x), {x: 3.0}) == 27.0
