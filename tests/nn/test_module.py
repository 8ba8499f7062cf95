"""Modules: parameters found among attributes, saving and loading, and display."""

import copy
import pickle
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from closeness import require_close

import adjoint
from adjoint import Value, errors, nn


class Net(nn.Module):
    """A user module: no super().__init__(), with modules and Values in several kinds of containers."""

    def __init__(self):
        self.scale = Value(2.0)
        self.blocks = [nn.Linear(2, 2, seed=1), nn.Linear(2, 2, seed=2)]
        self.heads = {"a": nn.Linear(2, 1, seed=3), "b": (Value([1.0, 2.0]),)}
        self.name, self.sizes, self.nothing = "net", [1, 2, 3], None

    def forward(self, x):
        for block in self.blocks:
            x = block(x).tanh()
        return self.heads["a"](x) * self.scale


NAMES = [
    "scale", "heads.b.0", "blocks.0.weight", "blocks.0.bias", "blocks.1.weight", "blocks.1.bias", "heads.a.weight",
    "heads.a.bias",
]  # fmt: skip


# --- parameters --------------------------------------------------------------------------------------------


def test_values_and_modules_among_attributes_lists_tuples_and_dicts_are_found():
    net = Net()
    assert [name for name, _ in net.named_parameters()] == NAMES
    assert net.parameters() == [p for _, p in net.named_parameters()]
    assert len(net.parameters()) == 8


def test_parameters_have_the_order_of_pytorch():
    class Theirs(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(2, 3)
            self.w = torch.nn.Parameter(torch.zeros(2))
            self.last = torch.nn.Linear(3, 1)

    class Ours(nn.Module):
        def __init__(self):
            self.inner = nn.Linear(2, 3)
            self.w = Value(np.zeros(2))
            self.last = nn.Linear(3, 1)

    assert [name for name, _ in Ours().named_parameters()] == [name for name, _ in Theirs().named_parameters()]
    assert [name for name, _ in Ours().named_modules()] == [name for name, _ in Theirs().named_modules()]


def test_a_value_with_a_history_is_not_a_parameter():
    class Remembers(nn.Module):
        def __init__(self):
            self.w = Value([1.0, 2.0])

        def forward(self, x):
            self.out = self.w * x
            return self.out

    model = Remembers()
    model(3.0)
    assert model.parameters() == [model.w]


def test_a_shared_parameter_counts_once_and_has_both_names_in_the_state():
    class Tied(nn.Module):
        def __init__(self):
            self.first = nn.Linear(3, 3, bias=False)
            self.second = nn.Linear(3, 3, bias=False)
            self.second.weight = self.first.weight

    model = Tied()
    assert model.parameters() == [model.first.weight]
    assert [name for name, _ in model.named_parameters()] == ["first.weight"]
    assert list(model.state_dict()) == ["first.weight", "second.weight"]


def test_modules_that_refer_to_each_other_are_walked_once():
    a, b = nn.Module(), nn.Linear(2, 1)
    a.child, b.parent = b, a
    assert len(a.parameters()) == len(b.parameters()) == 2
    assert [module for _, module in a.named_modules()] == [a, b]


def test_a_list_that_contains_itself_is_walked_once():
    module = nn.Module()
    module.items = [Value(1.0)]
    module.items.append(module.items)
    assert len(module.parameters()) == 1


def test_a_class_can_override_parameters():
    class Neuron(nn.Module):
        def __init__(self):
            self.w, self.b, self.frozen = [Value(1.0), Value(2.0)], Value(3.0), Value(4.0)

        def __call__(self, x):
            return sum((wi * xi for wi, xi in zip(self.w, x)), self.b) * self.frozen

        def parameters(self):
            return [*self.w, self.b]

    class Layer(nn.Module):
        def __init__(self):
            self.neurons = [Neuron(), Neuron()]

    layer = Layer()
    assert len(layer.parameters()) == 6
    assert [name for name, _ in layer.named_parameters()][:3] == ["neurons.0.w.0", "neurons.0.w.1", "neurons.0.b"]
    layer.neurons[0]([1.0, 1.0]).backward()
    layer.zero_grad()
    assert all(p.grad == 0.0 for p in layer.parameters())
    assert layer.neurons[0].frozen.grad != 0.0


def test_a_class_can_add_to_the_parameters_that_are_found():
    elsewhere = Value(1.0)

    class More(nn.Module):
        def __init__(self):
            self.w = Value(2.0)

        def parameters(self):
            return [*super().parameters(), elsewhere]

    model = nn.Sequential({"more": More()})
    assert model.parameters() == [model.more.w, elsewhere]
    assert dict(model.named_parameters()) == {"more.w": model.more.w, "more.1": elsewhere}


def test_neurons_that_are_not_modules_contribute_their_parameters():
    class Plain:
        def __init__(self):
            self.w = Value(1.0)

        def parameters(self):
            return [self.w]

    class Layer(nn.Module):
        def __init__(self):
            self.neurons, self.last = [Plain(), Plain()], Plain()

    layer = Layer()
    assert layer.parameters() == [layer.neurons[0].w, layer.neurons[1].w, layer.last.w]


def test_zero_grad_reaches_arrays_and_numbers():
    net = Net()
    net(np.ones((3, 2))).sum().backward()
    assert all(np.any(p.grad) for name, p in net.named_parameters() if name != "heads.b.0")
    net.zero_grad()
    assert not any(np.any(p.grad) for p in net.parameters())


# --- calling -----------------------------------------------------------------------------------------------


def test_calling_a_module_without_forward_is_an_error():
    class Empty(nn.Module):
        pass

    with pytest.raises(errors.ArgumentError, match="Empty has no forward"):
        Empty()(1.0)


def test_hooks_see_each_output_until_they_are_removed():
    model, seen = nn.Sequential(nn.Linear(2, 3), nn.ReLU()), []
    remove = model[0].register_forward_hook(lambda module, inputs, output: seen.append((module, inputs, output)))
    x = np.ones((4, 2))
    model(x)
    assert len(seen) == 1
    assert seen[0][0] is model[0]
    assert seen[0][1][0] is x
    assert seen[0][2].shape == (4, 3)
    remove()
    model(x)
    assert len(seen) == 1
    assert "_forward_hooks" not in vars(model[0])
    handle = model[0].register_forward_hook(lambda *seen: 1 / 0)
    handle.remove()  # as in PyTorch
    assert "_forward_hooks" not in vars(model[0])
    model(x)
    with pytest.raises(errors.ArgumentError, match="a forward hook must be a function"):
        model.register_forward_hook(5)


def test_train_and_eval_reach_every_module_and_add_no_attribute():
    net = Net()
    before = dict(vars(net))
    assert all(module.training for module in net.modules())
    assert net.eval() is net
    assert not any(module.training for module in net.modules())
    net.train()
    assert all(module.training for module in net.modules())
    assert vars(net) == before


def test_apply_visits_children_before_parents():
    net, seen = Net(), []
    assert net.apply(seen.append) is net
    assert seen[-1] is net
    assert len(seen) == 4


# --- state -------------------------------------------------------------------------------------------------


def test_a_state_is_a_copy_of_all_numbers_by_name():
    net = Net()
    state = net.state_dict()
    assert sorted(state) == sorted(NAMES)
    assert state["scale"] == 2.0
    assert type(state["scale"]) is float
    assert all(type(x) is np.ndarray for name, x in state.items() if name != "scale")
    state["blocks.0.weight"][:] = 7.0
    assert not np.any(net.blocks[0].weight.data == 7.0)


def test_a_state_loads_into_another_model_of_the_same_kind():
    first, second = Net(), Net()
    first.scale.data = 5.0
    first.blocks[0].weight.data = np.arange(4.0).reshape(2, 2)
    parameters = second.parameters()
    assert second.load_state_dict(first.state_dict()) == ([], [])
    assert second.parameters() == parameters
    x = np.ones((3, 2))
    np.testing.assert_array_equal(second(x).data, first(x).data)


def test_the_state_of_a_scalar_network_is_saved_and_loaded():
    first, second = nn.MLP(2, [3, 1], seed=0), nn.MLP(2, [3, 1], seed=1)
    state = first.state_dict()
    assert list(state)[:3] == ["layers.0.neurons.0.w.0", "layers.0.neurons.0.w.1", "layers.0.neurons.0.b"]
    second.load_state_dict(state)
    assert second([0.3, 0.4]).data == first([0.3, 0.4]).data


def test_states_are_exchanged_with_pytorch():
    def layers(m):
        return m.Conv2d(1, 2, 3), m.BatchNorm2d(2), m.ReLU(), m.Flatten(), m.Linear(32, 3)

    theirs, ours = torch.nn.Sequential(*layers(torch.nn)), nn.Sequential(*layers(nn)).astype("float32")
    ours.load_state_dict(theirs.state_dict())
    x = np.random.default_rng(0).normal(size=(2, 1, 6, 6)).astype(np.float32)
    require_close(ours(x).data, theirs(torch.tensor(x)).detach().numpy())
    other = torch.nn.Sequential(*layers(torch.nn))
    other.load_state_dict({name: torch.tensor(array) for name, array in ours.state_dict().items()})
    ours.eval()
    other.eval()
    require_close(ours(x).data, other(torch.tensor(x)).detach().numpy())


def test_an_error_names_every_tensor_that_does_not_fit_and_nothing_is_changed():
    net = Net()
    before = net.state_dict()
    state = {name: x + 1 for name, x in before.items()}
    del state["blocks.1.bias"]
    state |= {"extra": np.zeros(2), "heads.a.weight": np.zeros((3, 1)), "heads.a.bias": "text"}
    with pytest.raises(errors.StateError) as caught:
        net.load_state_dict(state)
    message = str(caught.value)
    assert message.startswith("the state does not fit Net(): ")
    assert "blocks.1.bias is missing" in message
    assert "extra is not in the model" in message
    assert "heads.a.weight has shape (3, 1), but the model's has (1, 2)" in message
    assert "heads.a.bias is str 'text', not an array of numbers" in message
    assert "blocks.0" not in message
    after = net.state_dict()
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_without_strict_unknown_names_are_skipped_and_returned():
    net = Net()
    found = net.load_state_dict({"scale": 9.0, "extra": 1.0}, strict=False)
    assert net.scale.data == 9.0
    assert found.unexpected == ["extra"]
    assert found.missing == [name for name in net.state_dict() if name != "scale"]
    with pytest.raises(errors.StateError, match=r"scale has shape \(2,\), but the model's has \(\)"):
        net.load_state_dict({"scale": [1.0, 2.0]}, strict=False)


def test_a_state_is_a_mapping():
    with pytest.raises(errors.StateError, match="load_state_dict needs a dict of names and arrays"):
        Net().load_state_dict([1.0])


def test_buffers_are_saved_but_not_trained():
    class Counts(nn.Module):
        def __init__(self):
            self.w = Value([1.0])
            self.register_buffer("mean", Value([0.0]))
            self.register_buffer("table", np.zeros(2, np.int32))
            self.register_buffer("calls", 0, persistent=False)

    model, other = Counts(), Counts()
    assert model.parameters() == [model.w]
    assert [name for name, _ in model.named_buffers()] == ["mean", "table", "calls"]
    assert model.buffers()[0] is model.mean
    model.mean.data, model.table, model.calls = [5.0], np.array([1, 2], np.int32), 3
    assert list(model.state_dict()) == ["w", "mean", "table"]
    other.load_state_dict(model.state_dict(transient=True))
    assert other.mean.data.tolist() == [5.0]
    assert other.table.tolist() == [1, 2]
    assert other.table.dtype == np.int32
    assert other.calls == 3
    assert type(other.calls) is int


def test_astype_changes_parameters_and_buffers_in_place():
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    parameters = model.parameters()
    assert model.astype("float32") is model
    assert model.parameters() == parameters
    assert {p.dtype for p in [*parameters, model[1].running_mean]} == {np.dtype("float32")}
    assert model(np.ones((4, 2))).dtype == np.float32
    assert model[1].num_batches_tracked == 1


# --- display ---------------------------------------------------------------------------------------


def test_a_model_is_shown_as_a_tree_with_counts():
    assert repr(Net()) == (
        "Net(\n"
        "  (blocks.0): Linear(2, 2), 6 parameters\n"
        "  (blocks.1): Linear(2, 2), 6 parameters\n"
        "  (heads.a): Linear(2, 1), 3 parameters\n"
        "), 18 parameters"
    )
    assert repr(nn.Sequential(nn.Sequential(nn.Linear(1, 1, bias=False)))) == (
        "Sequential(\n"
        "  (0): Sequential(\n"
        "    (0): Linear(1, 1, bias=False), 1 parameter\n"
        "  ), 1 parameter\n"
        "), 1 parameter"
    )
    assert repr(nn.Linear(1000, 1000)) == "Linear(1000, 1000), 1,001,000 parameters"


LAYERS = [
    nn.Linear(2, 3, bias=False),
    nn.Embedding(5, 2),
    nn.Flatten(0),
    nn.Dropout(0.1),
    nn.Conv1d(2, 4, 3, padding="same", groups=2, bias=False),
    nn.Conv2d(1, 2, (3, 2), stride=2, dilation=(1, 2)),
    nn.MaxPool2d(2, 1),
    nn.AvgPool2d((2, 1), count_include_pad=False),
    nn.LayerNorm((2, 3), eps=0.1),
    nn.RMSNorm(3, elementwise_affine=False),
    nn.BatchNorm1d(3, momentum=None),
    nn.BatchNorm2d(3, affine=False, track_running_stats=False),
    nn.Attention(4, 2, bias=False),
    nn.TransformerBlock(4, 2, 7, 0.1, "relu", causal=True, bias=False),
    nn.RNN(2, 3, 2, "relu", bias=False),
    nn.LSTM(2, 3, batch_first=False),
    nn.GRU(2, 3),
    nn.ReLU(),
    nn.LeakyReLU(0.2),
    nn.ELU(0.5),
    nn.GELU("tanh"),
    nn.Softmax(0),
    nn.LogSoftmax(1),
    nn.HuberLoss(delta=0.5),
    nn.CrossEntropyLoss(label_smoothing=0.1),
    nn.BCEWithLogitsLoss(reduction="sum"),
    nn.KLDivLoss(log_target=True),
]


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: type(layer).__name__)
def test_a_layer_is_rebuilt_from_its_repr_and_from_its_arguments(layer):
    shown = layer._headline()
    for again in (eval(shown, vars(nn)), type(layer)(**layer.arguments())):
        assert again._headline() == shown
        assert again.arguments() == layer.arguments()
        shapes = {name: np.shape(x) for name, x in layer.state_dict().items()}
        assert {name: np.shape(x) for name, x in again.state_dict().items()} == shapes


def test_a_summary_has_a_line_for_each_layer():
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(144, 2))
    before = model.state_dict()
    assert model.summary(np.zeros((5, 1, 8, 8))) == (
        "name  layer            output        parameters\n"
        "───────────────────────────────────────────────\n"
        "0     Conv2d(1, 4, 3)  (5, 4, 6, 6)          40\n"
        "1     BatchNorm2d(4)   (5, 4, 6, 6)           8\n"
        "2     Flatten()        (5, 144)               0\n"
        "3     Linear(144, 2)   (5, 2)               290\n"
        "      Sequential()     (5, 2)               338\n"
        "338 parameters, all trainable, 2.7 kB"
    )
    assert all(np.array_equal(before[name], x) for name, x in model.state_dict().items())
    assert all(module.training for module in model.modules())
    assert "output" not in model.summary()


def test_a_summary_shows_each_output_of_a_layer_with_several():
    assert "(2, 3, 4), (1, 2, 4), (1, 2, 4)" in nn.LSTM(5, 4).summary(np.zeros((2, 3, 5)))


def test_a_summary_that_fails_removes_its_hooks_and_restores_the_mode():
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(4, 1))
    with pytest.raises(errors.ShapeError, match="layer 1"):
        model.summary(np.zeros((5, 2)))
    assert model.training
    assert not any(module._forward_hooks for module in model.modules())


# --- copies, imports ---------------------------------------------------------------------------------------


def test_models_are_copied_and_pickled():
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.BatchNorm1d(3), nn.ReLU(), nn.Dropout(0.5, seed=1), nn.GRU(3, 2))
    x = np.random.default_rng(0).normal(size=(4, 2))
    model[:4](x)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert all(np.array_equal(x, other.state_dict()[name]) for name, x in model.state_dict().items())
        assert not set(map(id, other.parameters())) & set(map(id, model.parameters()))
        np.testing.assert_array_equal(other[:4](x).data, copy.deepcopy(model)[:4](x).data)


def test_scalar_networks_need_no_numpy():
    program = (
        "import sys, adjoint; m = adjoint.nn.MLP(2, [3, 1]); m([1.0, 2.0]).backward(); m.zero_grad(); repr(m);"
        "assert adjoint.nn.Module and 'numpy' not in sys.modules; adjoint.nn.Linear; assert 'numpy' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_every_public_name_exists():
    for name in nn.__all__:
        assert getattr(nn, name) is not None
    assert set(nn.__all__) <= set(dir(nn))
    with pytest.raises(AttributeError, match="Linaer"):
        nn.Linaer  # noqa: B018


def test_an_object_that_only_resembles_a_module_is_ignored():
    module = nn.Module()
    module.settings = SimpleNamespace(parameters={"a": 1})
    module.kind = nn.Linear
    module.table = np.zeros(3)
    module.op = adjoint.tanh
    assert module.parameters() == []
