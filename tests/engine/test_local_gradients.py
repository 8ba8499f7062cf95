"""`Value(data, children, local_grads)`: nodes that are made with their derivatives."""

import ast
import copy
import pickle
from pathlib import Path

import pytest
from closeness import require_close

from adjoint import Value, explain, guards, jit, no_grad
from adjoint.errors import ArgumentError, ArrayError, CopyError, GraphError, NumberError

PROGRAM = Path(__file__).parents[2] / "examples" / "microgpt.py"


def product(a: Value, b: Value, kind=tuple) -> Value:
    return Value(a.data * b.data, (a, b), kind([b.data, a.data]))


@pytest.mark.parametrize("kind", [tuple, list])
def test_local_gradients_are_the_derivatives(kind):
    a, b = Value(2.0), Value(3.0)
    c = product(a, b, kind)
    (c * 10 + a).backward()
    assert (a.grad, b.grad, c.grad) == (31.0, 20.0, 10.0)
    assert (c._children, c._local_grads, c._op) == ((a, b), (3.0, 2.0), "")


def test_integers_are_local_gradients_too():
    a = Value(2.0)
    Value(3.0, (a,), (1,)).backward()
    assert a.grad == 1.0


def test_every_node_has_its_children_and_local_gradients():
    a, b = Value(2.0), Value(3.0)
    assert ((a * b)._children, (a * b)._local_grads) == ((a, b), (3.0, 2.0))
    assert ((a * 4.0)._children, (a * 4.0)._local_grads) == ((a,), (4.0,))
    assert ((a**3)._children, (a**3)._local_grads) == ((a,), (12.0,))
    assert (a._children, a._local_grads) == ((), ())
    freed = a * b
    freed.backward(retain_graph=False)
    assert (freed._children, freed._local_grads) == ((), ())


def test_a_backward_pass_written_by_hand_over_children_and_local_gradients_is_the_one_of_the_engine():
    a, b = Value(0.3), Value(-0.7)

    def compute():
        return ((a * b + a).tanh() * (b - 2.0 / a)).exp()

    compute().backward()
    expected, a.grad, b.grad = (a.grad, b.grad), 0.0, 0.0
    root, order, seen = compute(), [], set()

    def visit(v):
        if v not in seen:
            seen.add(v)
            for child in v._children:
                visit(child)
            order.append(v)

    visit(root)
    root.grad = 1
    for v in reversed(order):
        for child, slope in zip(v._children, v._local_grads):
            child.grad += slope * v.grad
    require_close((a.grad, b.grad), expected)


def test_arrays_have_children_but_no_local_gradients_that_are_numbers():
    w = Value([1.0, 2.0])
    assert (w * 2)._children == (w,)
    assert w._local_grads == ()
    with pytest.raises(ArrayError, match="no local gradients that are numbers"):
        print((w * 2)._local_grads)


def test_nothing_is_recorded_inside_no_grad():
    a = Value(2.0)
    with no_grad():
        made = Value(3.0, (a,), (1.5,))
    assert (made._children, made._local_grads) == ((), ())


def test_a_million_nodes_are_differentiated_and_freed():
    x = y = Value(1.0)
    for _ in range(1_000_000):
        y = Value(y.data, (y,), (1.0,))
    y.backward()
    assert x.grad == 1.0


def test_hooks_and_frozen_leaves_take_part():
    a, b = Value(2.0), Value(3.0)
    b.requires_grad = False
    c = product(a, b)
    c.register_hook(lambda gradient: 10 * gradient)
    c.backward()
    assert (a.grad, b.grad) == (30.0, 0.0)


def test_a_guard_notices_data_that_changed():
    a, b = Value(2.0), Value(3.0)
    loss = product(a, b)
    a.data = 5.0
    with pytest.warns(match="computed before"):
        loss.backward()
    with guards(stale_graph=False):
        loss.backward()


def test_it_is_explained():
    a, b = Value(2.0, label="a"), Value(3.0, label="b")
    text = str(explain(product(a, b)))
    assert "v1 = (a, b) = (2, 3) = 6" in text
    assert "∂v1/∂a = 3" in text


def test_it_is_copied():
    a, b = Value(2.0), Value(3.0)
    for copied in (copy.deepcopy(product(a, b)), pickle.loads(pickle.dumps(product(a, b)))):
        copied.backward()
        assert [x.grad for x in copied._children] == [3.0, 2.0]
    with pytest.raises(CopyError, match="cannot be copied"):
        copy.deepcopy(Value(1.0, (a,), "by hand"))


def test_it_is_compiled():
    w = Value(0.5)

    def slope(x):
        product(product(w, Value(x)), w).backward()
        found, w.grad = w.grad, 0.0
        return found

    compiled = jit(slope)
    assert [compiled(x) for x in (1.0, 2.0, -3.0)] == [slope(x) for x in (1.0, 2.0, -3.0)] == [1.0, 2.0, -3.0]


def test_it_cannot_be_differentiated_twice():
    with pytest.raises(GraphError, match="local gradients given as numbers, which cannot be differentiated again"):
        product(Value(2.0), Value(3.0)).backward(create_graph=True)


@pytest.mark.parametrize(
    ("children", "given", "error", "message"),
    [
        (1, (1.0, 2.0), ArgumentError, "one local gradient for each child: got 2 for 1 child$"),
        (2, [1.0], ArgumentError, "got 1 for 2 children"),
        (0, (1.0,), ArgumentError, "got 1 for 0 children"),
        (1, ("x",), NumberError, "a local gradient needs a number, not str 'x'"),
        (1, {1.0}, ArgumentError, "or a tuple of local gradients, not set"),
    ],
)
def test_wrong_local_gradients_are_errors(children, given, error, message):
    with pytest.raises(error, match=message):
        Value(1.0, tuple(Value(1.0) for _ in range(children)), given)


def test_arrays_take_no_local_gradients():
    for data, child in ((1.0, Value([1.0])), ([1.0], Value(1.0))):
        with pytest.raises(ArrayError, match=r"make its operation with adjoint\.op"):
            Value(data, (child,), (2.0,))


def test_a_gpt_in_the_style_of_microgpt_has_the_same_losses_with_our_class_in_place_of_its_own(monkeypatch):
    monkeypatch.setattr("sys.argv", [str(PROGRAM), "4"])
    tree = ast.parse(PROGRAM.read_text())
    own: dict = {"__file__": str(PROGRAM)}
    exec(compile(tree, str(PROGRAM), "exec"), own)
    tree.body = [x for x in tree.body if not isinstance(x, ast.ClassDef)]
    ours: dict = {"__file__": str(PROGRAM), "Value": Value}
    exec(compile(tree, str(PROGRAM), "exec"), ours)
    assert len(own["losses"]) == 4
    assert max(abs(x - y) for x, y in zip(ours["losses"], own["losses"])) <= 1e-9
    assert max(abs(x.data - y.data) for x, y in zip(ours["weights"], own["weights"])) <= 1e-9
