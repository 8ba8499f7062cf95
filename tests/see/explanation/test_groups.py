"""Groups: which module of a network made which node, recorded inside a context."""

import threading

import numpy as np
import pytest

from adjoint import Value, errors, explain, grouping, nn
from adjoint.engine.graph import evaluation_order


class Residual(nn.Module):
    """A layer with operations between its submodules."""

    def __init__(self):
        self.first, self.second = nn.Linear(3, 3, seed=0), nn.Linear(3, 3, seed=1)

    def forward(self, x):
        h = self.first(x).relu() + x
        return self.second(h) * 2


def by_group(root, groups):
    found = {}
    for value in evaluation_order(root):
        found.setdefault(groups.path_of(value), []).append(value.op)
    return found


def test_the_nodes_of_a_scalar_network_belong_to_its_neurons():
    model = nn.MLP(2, [2, 1], seed=0)
    with grouping(model) as groups:
        x = Value(1.0, label="x")
        loss = (model([x, 2.0]) - 1) ** 2
    found = by_group(loss, groups)
    neuron = ["*", "+", "*", "+", "tanh"]
    assert sorted(op for op in found["layers.0.neurons.0"] if op) == sorted(neuron)
    assert sorted(op for op in found["layers.1.neurons.0"] if op) == sorted(neuron)
    assert found["layers.0.neurons.1"].count("") == 3  # its two weights and its bias
    assert found[""] == ["", "-", "**"]  # x and the loss
    names = {node.name for node in explain(loss, groups=groups).leaves}
    assert {"x", "layers.0.neurons.0.w.0", "layers.1.neurons.0.b"} <= names


def test_nodes_between_the_submodules_belong_to_the_module_itself():
    model = nn.Sequential(Residual(), nn.Tanh())
    with grouping(model) as groups:
        out = model(Value(np.ones((1, 3)), label="x"))
    found = by_group(out, groups)
    assert found["0.first"] == ["", "", "linear"]
    assert found["0"] == ["relu", "+", "*"]
    assert found["1"] == ["tanh"]
    assert found[""] == [""]


def test_a_module_that_is_called_twice_owns_the_nodes_of_both_calls():
    model = nn.Sequential(nn.Linear(3, 3, seed=0))
    with grouping(model) as groups:
        out = model(model(Value(np.ones((1, 3)))))
    assert by_group(out, groups)["0"].count("linear") == 2


def test_outputs_in_a_list_belong_to_their_neurons():
    model = nn.MLP(2, [3], seed=0)
    with grouping(model) as groups:
        outputs = model([Value(1.0), Value(2.0)])
    assert [groups.path_of(out) for out in outputs] == [f"layers.0.neurons.{i}" for i in range(3)]


def test_no_hook_stays_on_a_module_after_an_error():
    model = nn.MLP(2, [2], seed=0)
    with pytest.raises(errors.ArgumentError), grouping(model):
        model([1.0])
    assert all("_forward_hooks" not in vars(module) for module in model.modules())


def test_a_call_that_fails_does_not_disturb_the_next_one():
    model = nn.MLP(2, [2, 1], seed=0)
    with grouping(model) as groups:
        with pytest.raises(errors.ArgumentError):
            model([1.0])
        out = model([1.0, 2.0])
    assert by_group(out, groups)["layers.0.neurons.0"].count("tanh") == 1


def test_groupings_of_two_models_can_be_nested():
    first, second = nn.MLP(2, [2], seed=0), nn.MLP(2, [1], seed=0)
    with grouping(first) as outer, grouping(second) as inner:
        out = second(first([1.0, 2.0]))
    assert (outer.path_of(out), inner.path_of(out)) == ("", "layers.0.neurons.0")
    assert by_group(out, outer)["layers.0.neurons.1"].count("tanh") == 1


def test_calls_of_other_models_and_in_other_threads_are_not_recorded():
    model, other = nn.MLP(2, [2, 1], seed=0), nn.MLP(2, [2, 1], seed=0)
    outs = []
    with grouping(model) as groups:
        outs.append(other([1.0, 2.0]))
        thread = threading.Thread(target=lambda: outs.append(model([1.0, 2.0])))
        thread.start()
        thread.join()
    assert [groups.path_of(out) for out in outs] == ["", ""]


def test_grouping_refuses_anything_but_a_module():
    with pytest.raises(errors.ArgumentError, match="grouping needs a module"), grouping(Value(1.0)):
        pass


@pytest.mark.long
def test_thousands_of_nodes_are_grouped_as_three_layers_that_can_be_opened():
    model = nn.MLP(2, [8, 8, 1], seed=0)
    with grouping(model) as groups:
        loss = sum((model([i / 50, 1.0]) - 1) ** 2 for i in range(50))
    explanation = explain(loss, groups=groups)
    lines = str(explanation).splitlines()
    assert f"{len(explanation.nodes):,} nodes in 4 groups" in lines[0]
    rows = {line.split()[0]: line for line in lines if line.startswith("layers.")}
    assert list(rows) == ["layers.0", "layers.1", "layers.2"]
    assert "Layer(8, 8, tanh)" in rows["layers.1"]
    assert f"{50 * 8 * 17:,}" in rows["layers.1"]  # 8 products, 8 sums and a tanh in each neuron
    layer = explanation.part("layers.1")
    assert str(layer).count("Neuron(8, tanh)") == 8
    neuron = explanation.part("layers.1.neurons.3")
    assert "Backward pass: the chain rule through layers.1.neurons.3" in str(neuron)
    assert {node.group for node in neuron.forward} == {"layers.1.neurons.3"}
    assert {step.node.group for step in neuron.backward} == {"layers.1.neurons.3"}
    with pytest.raises(errors.ArgumentError, match=r"unknown group 'layer\.1' \(did you mean 'layers\.1'"):
        explanation.part("layer.1")


def test_the_bounds_in_the_table_are_those_of_the_outputs_of_a_layer():
    model = nn.MLP(1, [30, 1], seed=0)
    with grouping(model) as groups:
        hidden = model.layers[0]([0.5])
        out = model.layers[1](hidden)
    out.backward()
    explanation = explain(out, groups=groups)
    row = next(line for line in str(explanation).splitlines() if line.startswith("layers.0"))
    low, high = min(h.data for h in hidden), max(h.data for h in hidden)
    assert f"{low:.3g} … {high:.3g}".replace("-", "−") in row
    low, high = min(h.grad for h in hidden), max(h.grad for h in hidden)
    assert f"{low:.3g} … {high:.3g}".replace("-", "−") in row


def test_a_part_shows_its_inputs_from_other_layers_and_the_gradient_it_receives():
    model = nn.MLP(2, [2, 1], seed=0)
    with grouping(model) as groups:
        out = model([1.0, 2.0])
        loss = (out - 1) ** 2
    first, _ = (value for value in evaluation_order(loss) if value.op == "tanh" and value is not out)
    loss.backward()
    text = str(explain(loss, groups=groups).part("layers.1"))
    assert f" = {first.data:.6g}, from layers.0.neurons.0" in text
    assert f".grad = {out.grad:.6g}, received from outside layers.1".replace("-", "−") in text
    assert "Gradients" not in text


def test_two_threads_group_one_model_at_the_same_time():
    model = nn.MLP(2, [2, 1], seed=0)
    both_inside = threading.Barrier(2)
    found = []

    def compute(x):
        with grouping(model) as groups:
            both_inside.wait(600)
            out = model([x, 1.0])
            both_inside.wait(600)
        found.append(by_group(out, groups))

    threads = [threading.Thread(target=compute, args=(x,)) for x in (1.0, 2.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    assert found[0] == found[1]
    assert found[0]["layers.1.neurons.0"].count("tanh") == 1
    assert all("_forward_hooks" not in vars(module) for module in model.modules())
