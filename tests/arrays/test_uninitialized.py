"""Arrays that `__new__` made without `__init__`, or whose attributes were deleted: an error, never a crash."""

import copy
import pickle

import numpy as np
import pytest

import adjoint
from adjoint import Value, nn, ops
from adjoint.arrays.tensor import Tensor

MAKERS = {
    "Tensor.__new__": lambda: Tensor.__new__(Tensor),
    "Value.__new__": lambda: Value.__new__(Value, [1.0, 2.0]),
    "without _data": lambda: without("_data"),
}
USES = {
    "* number": lambda t: t * 2,
    "number *": lambda t: 2.0 * t,
    "* array": lambda t: t * np.ones(2),
    "array *": lambda t: np.ones(2) * t,
    "* Value": lambda t: t * Value([1.0, 2.0]),
    "Value *": lambda t: Value([1.0, 2.0]) * t,
    "* number Value": lambda t: t * Value(2.0),
    "number Value *": lambda t: Value(2.0) * t,
    "** itself": lambda t: t**t,
    "neg": lambda t: -t,
    "sum": lambda t: t.sum(),
    "mean": lambda t: t.mean(),
    "sum(0)": lambda t: t.sum(axis=0),
    "@": lambda t: t @ t,
    "linear": lambda t: adjoint.linear(t, t, t),
    "layer": lambda t: nn.Linear(2, 3)(t),
    "<": lambda t: t < 1.0,
    "[0]": lambda t: t[0],
    "np.exp": np.exp,
    "np.sum": np.sum,
    "repr": repr,
    "float": float,
    "bool": bool,
    "len": len,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": pickle.dumps,
    "data": lambda t: t.data,
    "data =": lambda t: setattr(t, "data", [1.0, 2.0]),
    "backward": lambda t: t.backward(np.ones(2)),
}


def without(*names: str) -> Tensor:
    t = Value([1.0, 2.0])
    for name in names:
        delattr(t, name)
    return t


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("made", MAKERS)
def test_using_an_array_without_data_is_an_error(made, use):
    t = MAKERS[made]()
    with pytest.raises((AttributeError, TypeError, adjoint.errors.AdjointError)):
        USES[use](t)


@pytest.mark.parametrize("row", ops.TABLE)
def test_a_row_of_the_table_on_an_array_without_data_is_an_error(row):
    rule, t = ops.TABLE[row], Tensor.__new__(Tensor)
    for operands in [(t,) * len(rule.operands), (t, Value([1.0]))[: len(rule.operands)]]:
        with pytest.raises(AttributeError):
            rule(*operands)


@pytest.mark.parametrize("name", ["_data", "_operands", "_serial", "_back", "_rule", "_static", "_grad"])
@pytest.mark.parametrize("where", ["root", "inner", "leaf"])
def test_a_pass_over_a_node_without_an_attribute_is_an_error_or_does_not_need_it(where, name):
    leaf, w, b = Value(np.ones((2, 2))), Value(np.ones((2, 2))), Value(np.ones(2))
    inner = adjoint.linear(leaf * leaf, w, b)
    root = inner.exp().mean()
    delattr({"root": root, "inner": inner, "leaf": leaf}[where], name)
    try:
        root.backward()
    except AttributeError:
        return
    expected = Value(np.ones((2, 2)))
    adjoint.linear(expected * expected, w, b).exp().mean().backward()
    np.testing.assert_array_equal(leaf.grad, expected.grad)


@pytest.mark.parametrize("op", [np.array([]), np.array([1.0]), 3, b"+"])
def test_the_name_of_an_operation_is_a_string(op):
    with pytest.raises(adjoint.errors.ArgumentError, match="_op is the name"):
        Value(1.0, (), op)


def test_local_gradients_are_as_many_as_the_children():
    with pytest.raises(adjoint.errors.ArgumentError, match="got 1 for 0 children"):
        Value(1.0, (), (1,))
    assert Value(1.0, (), [])._local_grads == ()


@pytest.mark.parametrize("children", [np.array([1.0]), 3, None, object(), [1.0], {"a": 1}])
def test_children_are_values(children):
    with pytest.raises(adjoint.errors.AdjointError):
        Value(1.0, children, "f")


def test_the_class_of_a_number_stays():
    class Kind(Value):
        pass

    with pytest.raises(TypeError):
        Value(1.0).__class__ = Kind
