"""Notebooks written for micrograd run unchanged: they use `_prev`, `_op` and `_backward`."""

import math
import random

import pytest
import torch
from closeness import require_close

from adjoint import Value


def build_topo(root):
    """Return the nodes in topological order, by the recursive traversal that these notebooks define."""
    topo, visited = [], set()

    def build(v):
        if v not in visited:
            visited.add(v)
            for child in v._prev:
                build(child)
            topo.append(v)

    build(root)
    return topo


def trace(root):
    """Return the nodes and edges of a graph, as these notebooks collect them for a drawing."""
    nodes, edges = set(), set()

    def build(v):
        if v not in nodes:
            nodes.add(v)
            for child in v._prev:
                edges.add((child, v))
                build(child)

    build(root)
    return nodes, edges


def tanh(x):
    """An operation written by hand: a new Value, and a closure that propagates its gradient."""
    out = Value(math.tanh(x.data), (x,), "tanh")

    def _backward():
        x.grad += (1 - out.data**2) * out.grad

    out._backward = _backward
    return out


def product(x, y):
    out = Value(x.data * y.data, (x, y), "*")

    def _backward():
        x.grad += y.data * out.grad
        y.grad += x.data * out.grad

    out._backward = _backward
    return out


def pytorch_gradients(program, *at):
    leaves = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in at]
    program(*leaves).backward()
    return [leaf.grad.item() for leaf in leaves]


# --- gradients by hand ---------------------------------------------------------------------------


def test_gradients_are_propagated_by_calling_backward_of_each_node():
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    c, f = Value(10.0, label="c"), Value(-2.0, label="f")
    e = a * b
    d = e + c
    L = d * f
    L.grad = 1.0
    L._backward()
    assert (d.grad, f.grad) == (-2.0, 4.0)
    assert (a.grad, b.grad, c.grad) == (0.0, 0.0, 0.0)
    d._backward()
    assert (e.grad, c.grad) == (-2.0, -2.0)
    e._backward()
    assert (a.grad, b.grad) == (6.0, -4.0)


def test_calling_backward_of_each_node_accumulates_at_a_value_used_twice():
    a = Value(3.0)
    b = a * a + a
    b.grad = 1.0
    b._backward()
    assert a.grad == 1.0
    (square,) = b._prev - {a}
    square._backward()
    assert a.grad == 7.0


def test_the_backward_of_a_leaf_does_nothing():
    a = Value(3.0)
    a.grad = 5.0
    a._backward()
    assert a.grad == 5.0


def test_a_topological_order_built_from_prev_gives_the_gradients_of_backward():
    def program(a, b):
        c = a * b + a / b
        return (c**2 - 3 * c + b.tanh()) * a

    a, b = Value(0.7), Value(-1.9)
    out = program(a, b)
    out.grad = 1.0
    for node in reversed(build_topo(out)):
        node._backward()
    require_close([a.grad, b.grad], pytorch_gradients(program, 0.7, -1.9))


def test_constants_are_among_the_children_as_leaves():
    a = Value(5.0)
    b = a * 2 + 1
    (one,) = [v for v in b._prev if v._op == ""]
    assert one.data == 1.0
    assert one._prev == set()
    assert {v.data for v in build_topo(b)} == {5.0, 2.0, 10.0, 1.0, 11.0}


def test_a_product_of_a_value_with_itself_has_one_child():
    a = Value(3.0)
    assert (a * a)._prev == {a}


# --- operations by hand --------------------------------------------------------------------------


def test_an_operation_written_by_hand_works_in_the_middle_of_a_graph():
    x, w, b = Value(2.0), Value(-3.0), Value(6.5)
    out = 3 * tanh(x * w + b) ** 2 - x
    out.backward()
    expected = pytorch_gradients(lambda x, w, b: 3 * (x * w + b).tanh() ** 2 - x, 2.0, -3.0, 6.5)
    require_close([x.grad, w.grad, b.grad], expected)


def test_operations_written_by_hand_accumulate_at_leaves_over_two_passes_and_assign_inside():
    x, w = Value(0.4), Value(1.5)
    n = x * w
    t = tanh(n)
    out = product(t, t) + product(x, t) + n
    out.backward()
    expected = pytorch_gradients(lambda x, w: (x * w).tanh() ** 2 + x * (x * w).tanh() + x * w, 0.4, 1.5)
    once, inner = [x.grad, w.grad], [n.grad, t.grad, out.grad]
    require_close(once, expected)
    require_close(t.grad, 2 * t.data + 0.4)
    out.backward()
    assert [x.grad, w.grad] == [2 * g for g in once]
    assert [n.grad, t.grad, out.grad] == inner


def test_the_same_value_twice_in_an_operation_written_by_hand_receives_both_contributions():
    x = Value(3.0)
    product(x, x).backward()
    assert x.grad == 6.0


def test_an_operation_written_by_hand_can_be_the_root_or_a_parent_of_leaves():
    x = Value(0.8)
    root = tanh(tanh(x))
    root.backward()
    require_close(x.grad, pytorch_gradients(lambda x: x.tanh().tanh(), 0.8)[0])
    assert root.grad == 1.0


def test_operations_written_by_hand_agree_with_the_recursive_traversal():
    def run(backward):
        x, y = Value(0.3), Value(-0.6)
        out = product(tanh(x * y) + x, y) - tanh(y)
        backward(out)
        return [x.grad, y.grad]

    def walk(out):
        out.grad = 1.0
        for node in reversed(build_topo(out)):
            node._backward()

    expected = pytorch_gradients(lambda x, y: ((x * y).tanh() + x) * y - y.tanh(), 0.3, -0.6)
    require_close(run(walk), expected)
    require_close(run(lambda out: out.backward()), expected)


def test_an_operation_written_by_hand_accepts_constants_wrapped_in_values():
    def add(x, y):
        x = x if isinstance(x, Value) else Value(x)
        y = y if isinstance(y, Value) else Value(y)
        out = Value(x.data + y.data, (x, y), "+")

        def _backward():
            x.grad += out.grad
            y.grad += out.grad

        out._backward = _backward
        return out

    a = Value(2.0)
    out = add(add(a, 3), a) * a
    out.backward()
    assert (out.data, a.grad) == (14.0, 11.0)  # 2a² + 3a


def test_a_backward_assigned_to_a_node_replaces_its_rule():
    x = Value(2.0)
    y = x * 5
    out = y * 3

    def straight_through():
        x.grad += y.grad  # as if y were x

    y._backward = straight_through
    out.backward()
    assert x.grad == 3.0


def test_gradients_of_a_closure_are_scaled_by_the_given_gradient():
    x = Value(0.5)
    tanh(x).backward(10.0)
    require_close(x.grad, 10 * (1 - math.tanh(0.5) ** 2))


def test_a_chain_of_thousands_of_operations_written_by_hand_needs_no_recursion():
    x = Value(1.0)
    out = x
    for _ in range(5000):
        out = product(out, x)
    out.backward()
    assert x.grad == 5001.0


def test_training_with_operations_written_by_hand_lowers_the_loss():
    rng = random.Random(7)
    w, b = [Value(rng.uniform(-1, 1)) for _ in range(2)], Value(0.0)
    data = [([1.0, -1.0], 0.5), ([0.5, 2.0], -0.5), ([-1.0, 0.25], 0.1)]
    losses = []
    for _ in range(100):
        loss = sum((tanh(w[0] * x[0] + w[1] * x[1] + b) - y) ** 2 for x, y in data)
        for p in (*w, b):
            p.grad = 0.0
        loss.backward()
        for p in (*w, b):
            p.data += -0.1 * p.grad
        losses.append(loss.data)
    assert losses[-1] < 1e-3 < 0.1 < losses[0]


# --- the constructor, labels and drawings --------------------------------------------------------


def test_a_value_is_created_with_children_an_operation_and_a_label():
    x, y = Value(2.0, label="x"), Value(3.0, label="y")
    out = Value(6.0, (x, y), "*", label="out")
    assert (out.data, out.grad, out.label, out._op) == (6.0, 0.0, "out", "*")
    assert out._prev == {x, y}
    assert (out.op, out.parents) == ("*", (x, y))
    assert (x._op, x._prev) == ("", set())


def test_a_value_is_created_with_the_keywords_of_the_notebooks():
    x = Value(2.0, label="x")
    out = Value(4.0, _children=(x,), _op="double")
    assert out._prev == {x}
    assert out._op == "double"


@pytest.mark.parametrize("collect", [tuple, list, set, lambda children: (c for c in children)])
def test_children_can_be_any_collection(collect):
    x, y = Value(2.0), Value(3.0)
    assert Value(6.0, collect([x, y]), "*")._prev == {x, y}


def test_labels_are_set_on_creation_or_later():
    x = Value(2.0, label="x")
    y = x * 3
    assert (x.label, y.label) == ("x", "")
    y.label = "y"
    assert y.label == "y"
    assert Value(1.0).label == ""


def test_a_trace_finds_every_node_and_edge_for_a_drawing():
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    c, f = Value(10.0, label="c"), Value(-2.0, label="f")
    e = a * b
    e.label = "e"
    d = e + c
    d.label = "d"
    L = d * f
    L.label = "L"
    nodes, edges = trace(L)
    assert {(n.label, n._op) for n in nodes} == {
        ("a", ""), ("b", ""), ("c", ""), ("f", ""), ("e", "*"), ("d", "+"), ("L", "*"),
    }  # fmt: skip
    assert {(n1.label, n2.label) for n1, n2 in edges} == {
        ("a", "e"), ("b", "e"), ("e", "d"), ("c", "d"), ("d", "L"), ("f", "L"),
    }  # fmt: skip


def test_a_trace_of_an_expression_with_constants_shows_them_as_nodes():
    nodes, edges = trace((2 * Value(5.0) + 1).tanh())
    require_close(sorted(n.data for n in nodes), [math.tanh(11.0), 1.0, 2.0, 5.0, 10.0, 11.0])
    assert len(edges) == 5


def test_the_lines_of_a_dot_file_are_written_from_a_trace():
    x = Value(3.0, label="x")
    y = x * x
    y.label = "y"
    nodes, edges = trace(y)
    lines = [f"{{ {n.label} | data {n.data:.4f} | grad {n.grad:.4f} }}" for n in nodes]
    assert sorted(lines) == ["{ x | data 3.0000 | grad 0.0000 }", "{ y | data 9.0000 | grad 0.0000 }"]
    assert [(str(id(n1)), str(id(n2)) + n2._op) for n1, n2 in edges] == [(str(id(x)), str(id(y)) + "*")]


# --- subclasses and modules ------------------------------------------------------------------------------


class Extended(Value):
    """A subclass with additional methods, as notebooks extend the engine."""

    def cube(self):
        return self * self * self

    def swish(self):
        return self / (1 + (-self).exp())


def test_a_subclass_adds_a_method_and_keeps_it_through_operations():
    x = Extended(1.2)
    out = (x * 2 + 1).cube().swish()
    out.backward()
    assert type(out) is Extended
    expected = pytorch_gradients(lambda x: ((x * 2 + 1) ** 3) / (1 + (-((x * 2 + 1) ** 3)).exp()), 1.2)
    require_close(x.grad, expected[0])


def test_a_subclass_with_an_operation_written_by_hand():
    class WithSine(Value):
        def sine(self):
            out = WithSine(math.sin(self.data), (self,), "sine")

            def _backward():
                self.grad += math.cos(self.data) * out.grad

            out._backward = _backward
            return out

    x = WithSine(0.3, label="x")
    out = (x.sine() * x + Value(2.0)).sine()
    out.backward()
    require_close(x.grad, pytorch_gradients(lambda x: (x.sin() * x + 2).sin(), 0.3)[0])
    assert type(out) is WithSine


def test_a_method_added_to_the_class_itself_is_found(monkeypatch):
    def halve(self):
        out = Value(self.data / 2, (self,), "halve")

        def _backward():
            self.grad += 0.5 * out.grad

        out._backward = _backward
        return out

    monkeypatch.setattr(Value, "halve", halve, raising=False)
    x = Value(6.0)
    (x.halve() * x).backward()
    assert x.grad == 6.0


class Neuron:
    def __init__(self, rng, nin):
        self.w = [Value(rng.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(rng.uniform(-1, 1))

    def __call__(self, x):
        act = sum((wi * xi for wi, xi in zip(self.w, x)), self.b)
        return act.tanh()

    def parameters(self):
        return self.w + [self.b]


class Layer:
    def __init__(self, rng, nin, nout):
        self.neurons = [Neuron(rng, nin) for _ in range(nout)]

    def __call__(self, x):
        outs = [n(x) for n in self.neurons]
        return outs[0] if len(outs) == 1 else outs

    def parameters(self):
        return [p for neuron in self.neurons for p in neuron.parameters()]


class MLP:
    def __init__(self, rng, nin, nouts):
        sizes = [nin] + nouts
        self.layers = [Layer(rng, sizes[i], sizes[i + 1]) for i in range(len(nouts))]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]


def test_the_network_of_the_notebooks_has_the_losses_of_pytorch():
    points = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
    targets = [1.0, -1.0, -1.0, 1.0]
    model = MLP(random.Random(3), 3, [4, 4, 1])
    assert len(model.parameters()) == 41
    weights = [
        torch.tensor([[w.data for w in n.w] for n in layer.neurons], dtype=torch.float64, requires_grad=True)
        for layer in model.layers
    ]
    biases = [
        torch.tensor([n.b.data for n in layer.neurons], dtype=torch.float64, requires_grad=True)
        for layer in model.layers
    ]
    for _ in range(30):
        loss = sum((model(x) - y) ** 2 for x, y in zip(points, targets))
        for p in model.parameters():
            p.grad = 0.0
        loss.backward()
        for p in model.parameters():
            p.data += -0.05 * p.grad

        activations = torch.tensor(points, dtype=torch.float64)
        for weight, bias in zip(weights, biases):
            activations = torch.tanh(activations @ weight.T + bias)
        expected = ((activations[:, 0] - torch.tensor(targets, dtype=torch.float64)) ** 2).sum()
        gradients = torch.autograd.grad(expected, [*weights, *biases])
        with torch.no_grad():
            for tensor, gradient in zip([*weights, *biases], gradients):
                tensor -= 0.05 * gradient
        require_close(loss.data, expected.item())
