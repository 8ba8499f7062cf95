"""Edge cases of the attributes that micrograd defines: `_op` and `_prev`."""

import pytest

from adjoint import Value
from adjoint.errors import ArgumentError, GraphError


@pytest.mark.parametrize("empty", ["", (), None])
@pytest.mark.parametrize("has_children", [False, True])
def test_an_empty_op_is_the_empty_operation(empty, has_children):
    x = Value(1.0)
    made = Value(2.0, (x,) if has_children else (), empty)
    assert (made._op, made.op) == ("", "")
    assert made._prev == ({x} if has_children else set())


def test_an_op_that_is_not_a_name_is_an_error():
    with pytest.raises(
        ArgumentError, match=r"_op is the name of an operation, such as '\+', or a tuple of local gradients, not int 5"
    ):
        Value(2.0, (Value(1.0),), 5)


def test_prev_is_the_same_set_each_time():
    a = Value(2.0)
    for node in (a * 3.0, 3.0 - a, a.leaky_relu(), a * a):
        assert node._prev == node._prev
    assert {x.data for x in (a * 3.0)._prev} == {2.0, 3.0}
    assert (a * a)._prev == {a}


def test_prev_of_an_array_is_the_same_set_each_time():
    node = Value([1.0, 2.0]) * 3.0
    assert node._prev == node._prev
    assert len(node._prev) == 2


def test_prev_of_a_freed_node_is_empty():
    node = Value(2.0) * 3.0
    assert len(node._prev) == 2
    node.backward(retain_graph=False)
    assert node._prev == set()


def test_nodes_by_hand_may_follow_one_another_and_other_operations():
    x = Value(3.0)
    y = x * 2
    z = Value(12.0, (y,), "double")
    w = Value(24.0, (z,), "double")

    def back_z():
        y.grad += 2 * z.grad

    def back_w():
        z.grad += 2 * w.grad

    z._backward, w._backward = back_z, back_w
    (w + 1).backward()
    assert (x.grad, y.grad, z.grad, w.grad) == (8.0, 4.0, 2.0, 1.0)


def test_a_node_by_hand_without_a_backward_above_an_operation_says_what_is_missing():
    z = Value(12.0, (Value(3.0) * 2,), "double")
    with pytest.raises(GraphError, match="was made by hand and has no derivatives"):
        (z + 1).backward()
