"""Which graphs a page can compute itself, with the rules of the table."""

import pytest

import adjoint
from adjoint import Value, ops
from adjoint_lab.scenes import scene_of


def test_a_graph_of_rows_on_numbers_can_be_computed_in_the_page():
    a = Value(2.0, label="a")
    assert scene_of(ops.leaky_relu(a * 3.0 + a) ** 2, ["a"])["computable"]
    assert scene_of(a, ["a"])["computable"]


def with_an_operation_of_its_own(a):
    tanh = adjoint.op("tanh", lambda m, x: x * x, lambda m, y, x: 2 * x)  # the name of a row, but another rule
    return tanh(a)


def with_a_handwritten_backward(a):
    out = Value(a.data**2, (a,), "square")

    def backward():
        a.grad += 2 * a.data * out.grad

    out._backward = backward
    return out


def with_a_hook(a):
    square = a * a
    square.register_hook(lambda gradient: 2 * gradient)
    return square + 1.0


def with_an_array(a):
    return (a * adjoint.tensor([1.0, 2.0])).sum()


@pytest.mark.parametrize(
    "make", [with_an_operation_of_its_own, with_a_handwritten_backward, with_a_hook, with_an_array]
)
def test_other_graphs_are_left_to_the_engine(make):
    assert not scene_of(make(Value(2.0, label="a")))["computable"]
