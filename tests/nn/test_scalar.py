"""Networks of scalar Values: sizes, initial weights, agreement with PyTorch, and accepted inputs."""

import copy
import pickle
import random

import numpy as np
import pytest
import torch
from closeness import require_close

import adjoint
from adjoint import Value
from adjoint.nn import MLP, Layer, Module, Neuron

ACTIVATIONS = {
    "tanh": torch.tanh,
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "leaky_relu": torch.nn.functional.leaky_relu,
    "elu": torch.nn.functional.elu,
    "gelu": torch.nn.functional.gelu,
    "silu": torch.nn.functional.silu,
    "softplus": torch.nn.functional.softplus,
    "linear": lambda x: x,
}


def torch_parameters(model):
    """Return the weights and biases of each layer as tensors."""
    return [
        (
            torch.tensor([[w.data for w in n.w] for n in layer.neurons], dtype=torch.float64).requires_grad_(),
            torch.tensor([n.b.data for n in layer.neurons], dtype=torch.float64).requires_grad_(),
        )
        for layer in model.layers
    ]


# --- sizes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "count"),
    [
        (MLP(3, [4, 4, 1]), 41),
        (MLP(2, [4, 4, 1]), 37),
        (MLP(2, [16, 16, 1]), 337),
        (MLP(1, [1]), 2),
        (Layer(3, 4), 16),
        (Neuron(5), 6),
    ],
)
def test_a_network_has_a_weight_for_each_connection_and_a_bias_for_each_neuron(model, count):
    parameters = model.parameters()
    assert len(parameters) == count
    assert len(set(parameters)) == count
    assert all(type(p) is Value and p.parents == () for p in parameters)


def test_the_parameters_of_a_network_are_those_of_its_layers_and_neurons_in_order():
    model = MLP(2, [3, 1], seed=0)
    expected = [p for layer in model.layers for n in layer.neurons for p in [*n.w, n.b]]
    assert all(p is q for p, q in zip(model.parameters(), expected, strict=True))


def test_sizes_can_be_numpy_integers_and_tuples():
    assert len(MLP(np.int64(3), (np.int32(4), 4, 1)).parameters()) == 41


# --- initial weights -----------------------------------------------------------------------------


def test_initial_weights_are_uniform_between_minus_one_and_one():
    weights = [p.data for p in MLP(20, [50, 20], seed=1).parameters()]
    assert all(-1 <= w <= 1 for w in weights)
    # uniform: mean 0, variance 1/3; within five standard errors of about two thousand samples
    mean = sum(weights) / len(weights)
    variance = sum(w * w for w in weights) / len(weights)
    assert abs(mean) < 5 * (1 / 3 / len(weights)) ** 0.5
    assert abs(variance - 1 / 3) < 5 * (4 / 45 / len(weights)) ** 0.5
    assert min(weights) < -0.99
    assert max(weights) > 0.99


def data(model):
    return [p.data for p in model.parameters()]


@pytest.mark.parametrize("make", [lambda s: MLP(3, [4, 2], seed=s), lambda s: Layer(3, 2, seed=s)])
def test_the_same_seed_gives_the_same_weights_and_another_seed_different_ones(make):
    assert data(make(7)) == data(make(7))
    assert not set(data(make(7))) & set(data(make(8)))


def test_a_seed_does_not_affect_the_shared_generator():
    random.seed(3)
    expected = random.random()
    random.seed(3)
    MLP(3, [4], seed=1)
    assert random.random() == expected


def test_without_a_seed_the_shared_generator_is_used():
    random.seed(5)
    first = data(MLP(2, [3]))
    second = data(MLP(2, [3]))
    random.seed(5)
    assert data(MLP(2, [3])) == first
    assert second != first


def test_a_generator_can_be_given_and_advances():
    rng = random.Random(2)
    first, second = data(Neuron(4, seed=rng)), data(Neuron(4, seed=rng))
    assert first != second
    assert first == data(Neuron(4, seed=2))


# --- outputs ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_a_network_and_all_its_gradients_agree_with_pytorch(name):
    model = MLP(3, [4, 3, 2], activation=name, seed=11)
    x = [0.5, -1.5, 2.0]
    first, second = model(x)
    (first * second + first).backward()

    layers, h = torch_parameters(model), torch.tensor(x, dtype=torch.float64)
    for weight, bias in layers:
        h = ACTIVATIONS[name](weight @ h + bias)
    (h[0] * h[1] + h[0]).backward()

    require_close([first.data, second.data], h.tolist())
    for layer, (weight, bias) in zip(model.layers, layers):
        for neuron, w, b in zip(layer.neurons, weight.grad.tolist(), bias.grad.tolist()):
            require_close([v.grad for v in neuron.w], w)
            require_close(neuron.b.grad, b)


def test_the_output_layer_can_have_another_activation():
    model = MLP(2, [3, 1], activation="relu", output_activation="linear", seed=4)
    layers, x = torch_parameters(model), torch.tensor([1.0, -2.0], dtype=torch.float64)
    hidden = torch.relu(layers[0][0] @ x + layers[0][1])
    expected = layers[1][0] @ hidden + layers[1][1]
    require_close(model([1.0, -2.0]).data, expected.item())


def test_the_output_layer_has_the_activation_of_the_others_by_default():
    model = MLP(2, [3, 1], activation="sigmoid", seed=4)
    assert all(0 < model([x, -x]).data < 1 for x in (-100.0, -1.0, 0.0, 1.0, 100.0))


def test_the_activation_none_is_linear():
    given, none = MLP(2, [3, 1], activation="linear", seed=3), MLP(2, [3, 1], activation=None, seed=3)
    assert given([0.3, 0.9]).data == none([0.3, 0.9]).data


def test_an_activation_can_be_a_function():
    def double(x):
        return 2 * x

    neuron = Neuron(2, activation=double, seed=0)
    linear = Neuron(2, activation="linear", seed=0)
    assert neuron([1.0, 2.0]).data == 2 * linear([1.0, 2.0]).data
    assert Neuron(2, activation=adjoint.sin, seed=0)([1.0, 2.0]).op == "sin"


def test_a_single_output_is_one_value_and_several_are_a_list():
    assert isinstance(MLP(3, [4, 1])([1.0, 2.0, 3.0]), Value)
    outputs = MLP(3, [4, 2])([1.0, 2.0, 3.0])
    assert isinstance(outputs, list)
    assert len(outputs) == 2
    assert isinstance(Layer(3, 1)([1.0, 2.0, 3.0]), Value)
    assert isinstance(Neuron(3)([1.0, 2.0, 3.0]), Value)


def test_a_hidden_layer_of_one_neuron_feeds_the_next_layer():
    model = MLP(2, [4, 1, 4, 1], seed=6)
    out = model([0.5, -0.25])
    out.backward()
    h = torch.tensor([0.5, -0.25], dtype=torch.float64)
    layers = torch_parameters(model)
    for weight, bias in layers:
        h = torch.tanh(weight @ h + bias)
    h.backward()
    require_close(out.data, h.item())
    require_close([w.grad for w in model.layers[0].neurons[2].w], layers[0][0].grad[2].tolist())


# --- inputs ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "inputs",
    [
        (1.0, -2.0, 0.5),
        [1, -2, 0.5],
        np.array([1.0, -2.0, 0.5]),
        np.array([[9.0, 9.0, 9.0], [1.0, -2.0, 0.5]])[1],
        np.array([1.0, -2.0, 0.5], dtype=np.float32),
        [np.float64(1.0), np.int64(-2), np.float32(0.5)],
        [Value(1.0), -2.0, Value(0.5)],
        torch.tensor([1.0, -2.0, 0.5]),
    ],
    ids=["tuple", "list", "row", "row of a matrix", "float32", "NumPy scalars", "Values", "tensor"],
)
def test_inputs_can_be_given_in_many_forms(inputs):
    model = MLP(3, [4, 2], seed=9)
    expected = [out.data for out in model([1.0, -2.0, 0.5])]
    assert [out.data for out in model(inputs)] == expected


def test_inputs_from_a_generator_reach_every_neuron():
    model = MLP(3, [4, 2], seed=9)
    expected = [out.data for out in model([1.0, -2.0, 0.5])]
    assert [out.data for out in model(x for x in (1.0, -2.0, 0.5))] == expected


def test_a_single_input_needs_no_list():
    model = MLP(1, [3, 1], seed=2)
    assert model(0.5).data == model([0.5]).data == model(Value(0.5)).data == model(np.float64(0.5)).data


def test_values_as_inputs_receive_gradients():
    x = [Value(0.5), Value(-1.0)]
    model = MLP(2, [3, 1], seed=1)
    model(x).backward()
    h = expected = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    for weight, bias in torch_parameters(model):
        h = torch.tanh(weight @ h + bias)
    h.backward()
    require_close([v.grad for v in x], expected.grad.tolist())


# --- modules -------------------------------------------------------------------------------------


def test_zero_grad_zeroes_every_parameter_and_nothing_else():
    model, x = MLP(2, [3, 1], seed=1), Value(0.5)
    before = data(model)
    model([x, 2.0]).backward()
    assert all(p.grad != 0 for p in model.parameters())
    input_gradient = x.grad
    model.zero_grad()
    assert all(p.grad == 0.0 for p in model.parameters())
    assert data(model) == before
    assert x.grad == input_gradient != 0


def test_zero_grad_also_clears_gradients_that_are_values():
    model = MLP(1, [1], seed=1)
    model(0.5).backward(create_graph=True)
    model.zero_grad()
    assert [p.grad for p in model.parameters()] == [0.0, 0.0]


def test_a_user_module_inherits_zero_grad():
    class Pair(Module):
        def __init__(self):
            self.left, self.right = Neuron(1, seed=1), Neuron(1, seed=2)

        def __call__(self, x):
            return self.left(x) * self.right(x)

        def parameters(self):
            return self.left.parameters() + self.right.parameters()

    pair = Pair()
    pair(2.0).backward()
    assert all(p.grad for p in pair.parameters())
    pair.zero_grad()
    assert not any(p.grad for p in pair.parameters())
    assert Module().parameters() == []


def test_a_deep_copy_of_a_network_trains_independently():
    model = MLP(2, [3, 1], seed=5)
    before = data(model)
    copied = copy.deepcopy(model)
    copied([1.0, 2.0]).backward()
    for p in copied.parameters():
        p.data -= p.grad
    assert data(model) == before
    assert data(copied) != before
    assert all(p.grad == 0.0 for p in model.parameters())


@pytest.mark.parametrize("activation", ["tanh", "relu", "sigmoid"])
def test_a_pickled_network_gives_the_same_results(activation):
    model = MLP(2, [3, 1], activation=activation, seed=5)
    model([1.0, 2.0]).backward()
    loaded = pickle.loads(pickle.dumps(model))
    assert data(loaded) == data(model)
    assert [p.grad for p in loaded.parameters()] == [p.grad for p in model.parameters()]
    assert loaded([0.3, -0.4]).data == model([0.3, -0.4]).data


def test_a_network_shows_its_shape():
    assert repr(Neuron(2)) == "Neuron(2, tanh)"
    assert repr(Layer(2, 3, activation="relu")) == "Layer(2, 3, relu)"
    shown = repr(MLP(3, [4, 1], activation="relu", output_activation="linear"))
    assert shown == "MLP(3 → 4 relu → 1 linear, 21 parameters)"
    assert "sin" in repr(Neuron(2, activation=adjoint.sin))


def test_sizes_and_seed_can_be_numpy_integers():
    model = MLP(np.int64(3), np.array([4, 1]), seed=np.int64(5))
    assert len(model.parameters()) == 21
    assert model([1.0, 2.0, 3.0]).data == MLP(3, [4, 1], seed=5)([1.0, 2.0, 3.0]).data


def test_a_batch_given_as_one_sample_is_recognized():
    with pytest.raises(adjoint.errors.ArgumentError, match=r"expected 3 inputs, but got 1; .* one sample at a time"):
        MLP(3, [1])([[1.0, 2.0, 3.0]])


def test_a_seed_can_be_a_string():
    assert MLP(2, [1], seed="spring")([1, 2]).data == MLP(2, [1], seed="spring")([1, 2]).data


# --- on arrays -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_same_network_on_arrays_has_the_same_outputs_and_gradients(name):
    model = MLP(3, [4, 1, 2], activation=name, output_activation="linear", seed=7)
    arrays = model.to_arrays()
    x = np.random.default_rng(0).normal(size=(5, 3))
    scalar = [model(row) for row in x]
    outputs = arrays(x)
    assert np.abs(outputs.data - [[y.data for y in row] for row in scalar]).max() < 1e-12
    sum(y for row in scalar for y in row).backward()
    outputs.sum().backward()
    for layer, linear in zip(model.layers, [m for m in arrays if isinstance(m, adjoint.nn.Linear)], strict=True):
        assert np.abs(linear.weight.grad - [[w.grad for w in n.w] for n in layer.neurons]).max() < 1e-12
        assert np.abs(linear.bias.grad - [n.b.grad for n in layer.neurons]).max() < 1e-12


def test_to_arrays_keeps_a_function_as_activation():
    model = MLP(2, [3, 1], activation=adjoint.sin, seed=0)
    require_close(model.to_arrays()([[0.3, 0.4]]).item(), model([0.3, 0.4]).data)


def test_to_arrays_makes_copies_that_train_independently():
    model = MLP(2, [1], seed=0)
    before = data(model)
    model.to_arrays()[0].weight.data += 1.0
    assert data(model) == before


def test_forward_hooks_of_a_network_its_layers_and_their_neurons_run():
    model, seen = MLP(2, [2, 1], seed=0), []
    for module in model.modules():
        module.register_forward_hook(lambda module, inputs, output: seen.append(type(module).__name__))
    model([1.0, 2.0])
    assert seen == ["Neuron", "Neuron", "Layer", "Neuron", "Layer", "MLP"]
