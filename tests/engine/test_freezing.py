"""`requires_grad`: frozen leaves receive no gradient; a result without history has no backward()."""

import copy
import pickle

import numpy as np
import pytest

from adjoint import Value, grad, jit, no_grad
from adjoint.errors import ArgumentError, GraphError, MissingHistoryWarning, TraceError

KINDS = {"number": lambda x: Value(x), "array": lambda x: Value([x, 2 * x])}
kinds = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)


def total(value):
    return value.sum()


@kinds
def test_a_frozen_leaf_receives_no_gradient(make):
    w, b = make(2.0), make(1.0)
    b.requires_grad = False
    total(w * b + b).backward()
    assert np.array_equal(w.grad, b.data)
    assert not np.any(b.grad)


@kinds
def test_freezing_ends_and_clears_the_gradient(make):
    w, b = make(2.0), make(1.0)
    total(w * b).backward()
    assert np.any(b.grad)
    b.requires_grad = False
    assert not np.any(b.grad)
    b.requires_grad = True
    total(w * b).backward()
    assert np.array_equal(b.grad, w.data)


@kinds
def test_a_result_requires_a_gradient_if_a_leaf_below_it_does(make):
    w, b = make(2.0), make(1.0)
    b.requires_grad = False
    assert (w.requires_grad, b.requires_grad, (w * b).requires_grad, (b * 2).requires_grad) == (
        True,
        False,
        True,
        False,
    )
    freed = total(w * 2)
    freed.backward(retain_graph=False)
    assert freed.requires_grad


@kinds
def test_requires_grad_underscore_returns_the_value(make):
    w = make(2.0)
    assert w.requires_grad_(False) is w
    assert not w.requires_grad
    assert w.requires_grad_().requires_grad


@kinds
def test_a_result_cannot_be_frozen(make):
    y = make(2.0) * 3
    y.requires_grad = True
    with pytest.raises(GraphError, match=r"for leaves only.*x\.detach\(\)"):
        y.requires_grad = False


@kinds
def test_requires_grad_is_a_truth_value(make):
    with pytest.raises(ArgumentError, match="requires_grad is True or False, not str 'no'"):
        make(2.0).requires_grad = "no"


@kinds
def test_backward_of_a_graph_of_frozen_leaves_is_an_error(make):
    w = make(2.0).requires_grad_(False)
    for retain_graph in (True, False):
        with pytest.raises(GraphError, match="every leaf that it depends on is frozen"):
            total(w * w).backward(retain_graph=retain_graph)
    assert not np.any(w.grad)


def test_backward_of_a_frozen_leaf_is_an_error():
    with pytest.raises(GraphError, match="every leaf that it depends on is frozen"):
        Value(2.0).requires_grad_(False).backward()


@kinds
def test_higher_derivatives_skip_frozen_leaves(make):
    w, b = make(2.0), make(3.0).requires_grad_(False)
    total(w**2 * b).backward(create_graph=True)
    assert np.array_equal(w.grad.data, 2 * w.data * b.data)
    assert not np.any(b.grad)


def test_hooks_of_a_frozen_leaf_are_not_called():
    for make in KINDS.values():
        w, seen = make(2.0), []
        w.register_hook(seen.append)
        w.requires_grad = False
        total(w * make(1.0)).backward()
        assert seen == []


@kinds
def test_a_transform_differentiates_its_argument_also_if_it_is_frozen(make):
    w = make(2.0).requires_grad_(False)
    assert np.array_equal(grad(lambda x: total(x * x))(w).data, 2 * w.data)


@kinds
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_stay_frozen(make, duplicate):
    assert not duplicate(make(2.0).requires_grad_(False)).requires_grad
    assert duplicate(make(2.0)).requires_grad
    assert not duplicate(make(2.0).requires_grad_(False) * 2).requires_grad


def test_a_compiled_function_of_numbers_follows_requires_grad():
    w, b = Value(2.0), Value(3.0)

    @jit
    def step():
        w.zero_grad(), b.zero_grad()
        (w * b).backward()
        return w.grad, b.grad

    assert step() == (3.0, 2.0)
    assert step() == (3.0, 2.0)
    b.requires_grad = False
    assert step() == (3.0, 0.0)
    assert step() == (3.0, 0.0)
    b.requires_grad = True
    assert step() == (3.0, 2.0)


def test_a_compiled_function_of_arrays_follows_requires_grad():
    pytest.importorskip("jax")
    w, b, s = Value([2.0, 1.0]), Value([3.0, 5.0]), Value(2.0)

    @jit
    def step():
        for p in (w, b, s):
            p.zero_grad()
        (w * b * s).sum().backward()
        return w.grad, b.grad, s.grad

    for frozen in (False, True, False):
        b.requires_grad = s.requires_grad = not frozen
        for _ in range(2):
            of_w, of_b, of_s = step()
            assert (of_w.tolist(), of_b.tolist()) == ([6.0, 10.0], [0.0, 0.0] if frozen else [4.0, 2.0])
            assert float(of_s) == (0.0 if frozen else 11.0)


@kinds
def test_requires_grad_cannot_change_inside_a_compiled_function(make):
    pytest.importorskip("jax")
    w = make(2.0)

    @jit
    def step():
        w.requires_grad = False
        return total(w * w)

    with pytest.raises(TraceError, match="requires_grad cannot change inside a compiled function"):
        step()
    assert w.requires_grad


@kinds
def test_backward_of_a_result_of_no_grad_names_no_grad(make):
    w = make(2.0)
    with no_grad():
        loss = total(w * w)
    with pytest.raises(GraphError, match=r"has no history, because it was computed inside no_grad\(\)"):
        loss.backward()
    with pytest.raises(GraphError, match=r"detach\(\)"):
        total(w * w).detach().backward()
    assert not np.any(w.grad)


@kinds
def test_results_of_no_grad_are_leaves_of_new_graphs(make):
    with no_grad():
        w = make(2.0) * 3
    total(w * w).backward()
    assert np.array_equal(w.grad, 2 * w.data)


def test_backward_of_a_leaf_sets_its_gradient():
    w = Value(3.0)
    with pytest.warns(MissingHistoryWarning):
        w.backward()
    assert w.grad == 1.0


def test_a_user_defined_operation_under_no_grad_has_no_history_either():
    from adjoint import op

    cube = op("cube", lambda m, x: x**3, lambda m, y, x: 3 * x**2)
    with no_grad():
        y = cube(Value(2.0))
    with pytest.raises(GraphError, match="no_grad"):
        y.backward()


@pytest.mark.parametrize("data", [2.0, [1.0, 2.0]])
def test_a_value_is_made_frozen_by_an_argument_as_in_pytorch(data):
    frozen, trained = Value(data, requires_grad=False), Value(data, label="w", requires_grad=True)
    assert (frozen.requires_grad, trained.requires_grad, trained.label) == (False, True, "w")
    with pytest.raises(ArgumentError, match="requires_grad is True or False, not int 0"):
        Value(data, requires_grad=0)
