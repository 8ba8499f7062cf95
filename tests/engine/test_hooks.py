"""Hooks: functions of the user that receive each gradient during backward and may replace it."""

import gc

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, errors
from adjoint.engine import hooks

KINDS = {"number": 3.0, "array": [3.0, 4.0]}
kinds = pytest.mark.parametrize("data", KINDS.values(), ids=KINDS)


def as_list(gradient):
    return np.asarray(getattr(gradient, "data", gradient)).tolist()


def backward(y, **options):
    y.backward(np.ones(y.shape) if hasattr(y, "shape") else 1.0, **options)


@kinds
def test_a_hook_on_a_leaf_sees_its_gradient(data):
    x, seen = Value(data), []
    x.register_hook(lambda gradient: seen.append(as_list(gradient)))
    backward(x * 2)
    assert seen == [as_list(2 * np.ones(np.shape(data)))]
    assert as_list(x.grad) == seen[0]


@kinds
def test_a_hook_on_an_inner_node_sees_its_gradient_and_is_called_once(data):
    x, seen = Value(data), []
    h = x * 2
    h.register_hook(lambda gradient: seen.append(as_list(gradient)))
    backward(h * 3 + h * 4)
    assert seen == [as_list(7 * np.ones(np.shape(data)))]  # the sum of both contributions
    assert as_list(x.grad) == as_list(14 * np.ones(np.shape(data)))


@kinds
def test_the_result_of_a_hook_replaces_the_gradient_of_a_leaf(data):
    x, z = Value(data), Value(data)
    x.register_hook(lambda gradient: 10 * gradient)
    backward(x * 2 + z * 2)
    assert as_list(x.grad) == as_list(20 * np.ones(np.shape(data)))
    assert as_list(z.grad) == as_list(2 * np.ones(np.shape(data)))


@kinds
def test_the_result_of_a_hook_on_an_inner_node_is_passed_to_its_parents(data):
    x = Value(data)
    h = x * 2
    h.register_hook(lambda gradient: 10 * gradient)
    backward(h * 3)
    assert as_list(h.grad) == as_list(30 * np.ones(np.shape(data)))
    assert as_list(x.grad) == as_list(60 * np.ones(np.shape(data)))


@kinds
def test_a_hook_on_the_root_sees_the_initial_gradient(data):
    x = Value(data)
    y = x * 2
    y.register_hook(lambda gradient: gradient * 5)
    backward(y)
    assert as_list(y.grad) == as_list(5 * np.ones(np.shape(data)))
    assert as_list(x.grad) == as_list(10 * np.ones(np.shape(data)))


@kinds
def test_a_removed_hook_is_no_longer_called(data):
    x, seen = Value(data), []
    remove = x.register_hook(lambda gradient: seen.append("removed"))
    x.register_hook(lambda gradient: seen.append("kept"))
    backward(x * 2)
    remove()
    backward(x * 2)
    remove()  # removing it again has no effect
    backward(x * 2)
    assert seen == ["removed", "kept", "kept", "kept"]


@kinds
def test_a_hook_registered_twice_is_removed_one_registration_at_a_time(data):
    x, seen = Value(data), []

    def note(gradient):
        seen.append("called")

    x.register_hook(note)
    x.register_hook(note)()
    backward(x * 2)
    assert seen == ["called"]


@kinds
def test_hooks_of_one_value_run_in_the_order_of_registration(data):
    x = Value(data)
    x.register_hook(lambda gradient: gradient + 1)
    x.register_hook(lambda gradient: gradient * 10)
    backward(x * 2)
    assert as_list(x.grad) == as_list(30 * np.ones(np.shape(data)))


@kinds
def test_hooks_of_several_nodes_run_from_the_result_to_the_leaves(data):
    x, seen = Value(data), []
    h = x * 2
    y = h * 3
    for name, node in {"x": x, "h": h, "y": y}.items():
        node.register_hook(lambda gradient, name=name: seen.append(name))
    backward(y)
    assert seen == ["y", "h", "x"]


@kinds
def test_a_hook_is_called_in_each_pass_with_the_gradient_of_that_pass(data):
    x, seen = Value(data), []
    y = x * 2
    x.register_hook(lambda gradient: seen.append(as_list(gradient)))
    backward(y)
    backward(y)
    assert seen == [as_list(2 * np.ones(np.shape(data)))] * 2
    assert as_list(x.grad) == as_list(4 * np.ones(np.shape(data)))


@kinds
def test_a_hook_that_raises_leaves_the_gradients_of_leaves_unchanged(data):
    x, z = Value(data), Value(data)
    h = x * z

    def fail(gradient):
        raise KeyError("inside the hook")

    h.register_hook(fail)
    with pytest.raises(KeyError, match="inside the hook"):
        backward(h * 2)
    assert as_list(x.grad) == as_list(z.grad) == as_list(np.zeros(np.shape(data)))


@pytest.mark.parametrize("hook", [3, None, "print"])
@kinds
def test_a_hook_that_is_not_callable_is_an_error(data, hook):
    with pytest.raises(errors.ArgumentError, match="a hook is a function of the gradient, not"):
        Value(data).register_hook(hook)


@kinds
def test_with_create_graph_a_hook_is_differentiated_too(data):
    torch = pytest.importorskip("torch")
    x, types = Value(data), []
    t = torch.tensor(data, dtype=torch.float64, requires_grad=True)

    def square(gradient):
        types.append(isinstance(gradient, Value))
        return gradient * gradient

    h = x * x
    h.register_hook(square)
    backward(h * h, create_graph=True)
    first = x.grad
    x.zero_grad()
    backward(first * 1.0)
    ht = t * t
    ht.register_hook(lambda gradient: gradient * gradient)
    (reference,) = torch.autograd.grad((ht * ht).sum(), t, create_graph=True)
    (second,) = torch.autograd.grad(reference.sum(), t)
    assert types[0] is True
    require_close(np.asarray(first.data), reference.detach().numpy())
    require_close(np.asarray(getattr(x.grad, "data", x.grad)), second.numpy())


def test_a_hook_in_a_graph_of_numbers_and_arrays_is_called_for_each():
    a, w, seen = Value(2.0), Value([1.0, 3.0]), {}
    h = a * 3
    y = (h * w).sum()
    for name, node in {"a": a, "w": w, "h": h, "y": y}.items():
        node.register_hook(lambda gradient, name=name: seen.update({name: as_list(gradient)}))
    y.backward()
    assert seen == {"y": 1.0, "w": [6.0, 6.0], "h": 4.0, "a": 12.0}
    assert (a.grad, w.grad.tolist()) == (12.0, [6.0, 6.0])


def test_a_hook_may_clip_gradients_during_backward():
    w = Value([1.0, 2.0])
    h = w * 1.0
    h.register_hook(lambda gradient: np.clip(gradient, -1.0, 1.0))
    (h * np.array([0.5, 100.0])).sum().backward()
    assert w.grad.tolist() == [0.5, 1.0]


@pytest.mark.parametrize("differentiate", ["grad", "value_and_grad", "vjp"])
@kinds
def test_the_transforms_call_hooks_on_inner_nodes(differentiate, data):
    seen = []

    def f(x):
        h = x * 2
        h.register_hook(lambda gradient: seen.append(as_list(gradient)) or 10 * gradient)
        y = h * 3
        return y if np.ndim(data) == 0 else y.sum()

    given = np.asarray(data) if np.ndim(data) else data
    if differentiate == "grad":
        found = adjoint.grad(f)(given)
    elif differentiate == "value_and_grad":
        found = adjoint.value_and_grad(f)(given)[1]
    else:
        found = adjoint.vjp(f, given)[1](1.0)
        found = found[0] if isinstance(found, tuple) else found
    ones = np.ones(np.shape(data))
    assert as_list(found) == as_list(60 * ones)
    assert seen == [as_list(3 * ones)]


def test_a_graph_with_hooks_is_freed_by_backward():
    w = Value([1.0, 2.0])
    h = w * 2
    h.register_hook(lambda gradient: gradient * 2)
    y = h.sum()
    y.backward(retain_graph=False)
    assert (w.grad.tolist(), h.grad.tolist()) == ([4.0, 4.0], [2.0, 2.0])
    with pytest.raises(errors.GraphError, match="was freed"):
        y.backward()


def count(hooks_registered) -> int:
    gc.collect()
    return len(hooks_registered) if hasattr(hooks_registered, "__len__") else hooks_registered


@pytest.mark.full
@kinds
def test_a_hook_is_freed_with_its_value(data):
    before = count(hooks.registered)
    x = Value(data)
    remove = x.register_hook(lambda gradient: None)
    x.register_hook(lambda gradient: None)
    assert count(hooks.registered) == before + 2
    remove()
    remove()
    assert count(hooks.registered) == before + 1
    del x, remove
    assert count(hooks.registered) == before


# --- what a hook must not do ---------------------------------------------------------------------


def fail(gradient):
    raise KeyError("inside the hook")


@kinds
@pytest.mark.parametrize("retain_graph", [True, False])
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("hooked", [0, 1, 2, 3])
def test_a_hook_that_raises_changes_no_gradient_and_frees_nothing(data, retain_graph, create_graph, hooked):
    a, b = Value(data), Value(data)
    h = a * b
    y = h * a + b
    backward(y)
    before = [as_list(node.grad) for node in (a, b, h, y)]
    remove = (a, b, h, y)[hooked].register_hook(fail)
    with pytest.raises(KeyError, match="inside the hook"):
        backward(y, retain_graph=retain_graph, create_graph=create_graph)
    assert [as_list(node.grad) for node in (a, b, h, y)] == before
    remove()
    backward(y)  # the graph is whole
    assert as_list(a.grad) == as_list(2 * np.asarray(before[0]))


@kinds
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_hook_may_call_backward_on_the_same_leaf(data, create_graph):
    x = Value(data)
    remove = x.register_hook(lambda gradient: (remove(), backward(x * 3))[0])
    backward(x * 5, create_graph=create_graph)
    assert as_list(x.grad) == as_list(8 * np.ones(np.shape(data)))


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("inner", [False, True])
def test_a_hook_that_returns_another_shape_is_an_error(create_graph, inner):
    x = Value([[1.0, 2.0]])
    h = x * 2.0
    (h if inner else x).register_hook(lambda gradient: gradient.reshape(2))
    with pytest.raises(errors.ShapeError, match=r"the result of a hook must have the shape \(1, 2\), not \(2,\)"):
        (h * 3.0).sum().backward(create_graph=create_graph)
    assert as_list(x.grad) == [[0.0, 0.0]]


def test_a_hook_of_an_array_that_returns_a_number_is_an_error():
    x = Value([1.0, 2.0])
    x.register_hook(lambda gradient: 3.0)
    with pytest.raises(errors.ShapeError, match=r"must have the shape \(2,\), not be the number float 3.0"):
        (x * 2.0).sum().backward()
    assert as_list(x.grad) == [0.0, 0.0]


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_hook_that_returns_another_dtype_gives_a_gradient_of_the_dtype_of_the_data(create_graph):
    x = Value(np.ones(2, np.float32))
    x.register_hook(lambda gradient: gradient.astype(np.float64) * 2)
    (x * 3).sum().backward(create_graph=create_graph)
    assert x.grad.dtype == np.float32
    assert as_list(x.grad) == [6.0, 6.0]


@pytest.mark.parametrize("result", ["x", [1.0, 2.0], np.ones(2)])
def test_a_hook_of_a_number_returns_a_number(result):
    x = Value(3.0)
    x.register_hook(lambda gradient: result)
    with pytest.raises(errors.NumberError, match="the result of a hook needs a number"):
        (x * 2).backward()
    assert x.grad == 0.0


@kinds
def test_a_hook_that_returns_a_value_needs_create_graph(data):
    x = Value(data)
    x.register_hook(lambda gradient: Value(gradient) * 2)
    with pytest.raises(errors.NumberError, match=r"return its \.data, or call backward\(create_graph=True\)"):
        backward(x * 2)


def test_a_hook_cannot_change_an_array_that_other_nodes_hold():
    x, z = Value([1.0, 2.0]), Value([1.0, 2.0])

    def double(gradient):
        gradient *= 2

    x.register_hook(double)
    with pytest.raises(ValueError, match="read-only"):
        (x + z).sum().backward()
    assert as_list(z.grad) == [0.0, 0.0]


@pytest.mark.parametrize("remove", [lambda handle: handle.remove(), lambda handle: handle()], ids=["method", "call"])
def test_the_handle_of_a_hook_removes_it(remove):
    x = Value(3.0)
    handle = x.register_hook(lambda gradient: 10 * gradient)
    remove(handle)
    (2 * x).backward()
    assert x.grad == 2.0
