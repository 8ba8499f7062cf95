"""Edge cases of the attributes that micrograd defines: `_op` and `_prev`."""

import pytest

from adjoint import Value
from adjoint.errors import ArgumentError


@pytest.mark.parametrize("empty", ["", (), None])
@pytest.mark.parametrize("has_children", [False, True])
def test_an_empty_op_is_the_empty_operation(empty, has_children):
    x = Value(1.0)
    made = Value(2.0, (x,) if has_children else (), empty)
    assert (made._op, made.op) == ("", "")
    assert made._prev == ({x} if has_children else set())


def test_an_op_that_is_not_a_name_is_an_error():
    with pytest.raises(ArgumentError, match=r"_op is the name of an operation, such as '\+', not int 5"):
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
