"""The diagnosis of a network: dead units, vanishing and exploding gradients, and a model that is restored."""

import math

import numpy as np
import pytest
import torch
from closeness import require_close
from torch_reference import normal

import adjoint
from adjoint import Value, errors, nn


def rows(model, *arguments, **options):
    return {row.name: row for row in nn.diagnose(model, *arguments, show=False, **options).rows}


def deep(activation, count=8, scale=1.0):
    layers = []
    for i in range(count):
        layers += [nn.Linear(6, 6, seed=i), nn.activation(activation)]
        layers[-2].weight.data *= scale
    return nn.Sequential(*layers, nn.Linear(6, 1, seed=99))


def test_a_healthy_network_has_no_flags():
    model = nn.Sequential(nn.Linear(3, 16, seed=0), nn.Tanh(), nn.Linear(16, 1, seed=1))
    found = nn.diagnose(model, normal(20, 3), normal(20, 1), show=False)
    assert found.flags == {}
    assert repr(found) == "Diagnosis(2 layers; no problems found)"


def test_gradient_and_weight_norms_agree_with_pytorch():
    theirs = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)).double()
    ours = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    ours.load_state_dict(theirs.state_dict())
    x, t = normal(5, 3), np.array([0, 1, 1, 0, 1])
    loss = torch.nn.functional.cross_entropy(theirs(torch.tensor(x)), torch.tensor(t))
    loss.backward()
    found = nn.diagnose(ours, x, t, show=False)
    require_close(found.loss, loss.item())
    for row, layer in zip(found.rows, (theirs[0], theirs[2])):
        gradient = torch.cat([p.grad.ravel() for p in layer.parameters()]).norm().item()
        weight = torch.cat([p.ravel() for p in layer.parameters()]).norm().item()
        require_close([row.gradient, row.weight], [gradient, weight])
        require_close(row.ratio, gradient / weight)


def test_vanishing_gradients_are_found_in_the_early_layers():
    found = rows(deep("sigmoid"), normal(20, 6))
    assert found["0"].flags == ("vanishing",)
    assert found["14"].flags == found["16"].flags == ()


def test_exploding_gradients_are_found_in_the_early_layers():
    model = nn.Sequential(nn.Linear(6, 6, seed=0), lambda x: x * 1e6, nn.Linear(6, 1, seed=1))
    nn.init.normal(model[0].weight, 0.0, 1e-6, seed=0)
    nn.init.zeros(model[0].bias)
    found = rows(model, normal(20, 6), loss=lambda y: y.square().mean() * 1e-5)
    assert found["0"].gradient < 100
    assert found["0"].flags == ("exploding",)
    assert found["2"].flags == ()
    nn.init.constant(model[2].weight, float("nan"))
    assert rows(model, normal(20, 6))["0"].flags == ("exploding",)


def test_gradients_that_are_large_in_every_layer_are_exploding():
    """The gradient norms are 150 to 900 at a loss of 929: no layer stands out, and all of them are too large."""
    layers = [nn.Linear(6, 64, seed=0), nn.ReLU(), nn.Linear(64, 64, seed=1), nn.ReLU(), nn.Linear(64, 1, seed=2)]
    model, x = nn.Sequential(*layers), normal(20, 6)
    for i in (0, 2, 4):
        model[i].weight.data *= 4.0
    found = nn.diagnose(model, x, model(x).data + math.sqrt(929), show=False)
    require_close(found.loss, 929)
    assert all(100 < row.gradient < 10_000 for row in found.rows if row.gradient)
    assert [row.flags for row in found.rows if row.gradient] == [("exploding",)] * 3


@pytest.mark.parametrize("relu", [nn.ReLU(), adjoint.relu])
def test_dead_relus_are_counted(relu):
    model = nn.Sequential(nn.Linear(3, 4, seed=0), relu, nn.Linear(4, 1, seed=1))
    model[0].bias.data = [-100.0, -100.0, -100.0, 100.0]
    found = rows(model, normal(50, 3))
    assert found["1"].dead == 0.75
    assert found["1"].flags == ("dead",)
    model[0].bias.data = [-100.0, 100.0, 100.0, 100.0]
    assert rows(model, normal(50, 3))["1"].flags == ()


def test_a_relu_that_is_not_a_module_counts_for_the_preceding_layer():
    class Net(nn.Module):
        def __init__(self):
            self.hidden, self.out = nn.Linear(3, 4, seed=0), nn.Linear(4, 1, seed=1)

        def forward(self, x):
            return self.out(self.hidden(x).relu())

    model = Net()
    nn.init.constant(model.hidden.bias, -100.0)
    found = rows(model, normal(50, 3))
    assert found["hidden"].dead == 1.0
    assert found["hidden"].flags == ("dead", "no gradient")
    assert found["out"].dead is None


def test_dead_channels_of_images_are_counted():
    model = nn.Sequential(nn.Conv2d(1, 4, 3, seed=0), nn.ReLU(), nn.Flatten(), nn.Linear(64, 1, seed=1))
    model[0].bias.data = [-100.0, -100.0, 100.0, 100.0]
    assert rows(model, normal(5, 1, 6, 6))["1"].dead == 0.5


def test_the_model_is_restored():
    model = nn.Sequential(nn.Linear(3, 4, seed=0), nn.BatchNorm1d(4), nn.Dropout(0.5, seed=0), nn.Linear(4, 1, seed=1))
    model(normal(5, 3)).sum().backward()
    state = model.state_dict(transient=True)
    gradients = [p.grad.copy() for p in model.parameters()]
    nn.diagnose(model, normal(5, 3), show=False)
    after = model.state_dict(transient=True)
    assert all(np.array_equal(state[name], after[name]) for name in state)
    assert all(np.array_equal(g, p.grad) for g, p in zip(gradients, model.parameters()))
    assert not any(module._forward_hooks for module in model.modules())


def test_the_model_is_restored_when_the_batch_does_not_fit():
    model = nn.Sequential(nn.Linear(3, 4, seed=0))
    with pytest.raises(errors.ShapeError, match=r"in layer 0, Linear\(3, 4\)"):
        nn.diagnose(model, normal(5, 2))
    assert not any(module._forward_hooks for module in model.modules())


def test_the_loss_can_be_given():
    model = nn.Linear(3, 1, seed=0)
    x, t = normal(5, 3), normal(5, 1, seed=1)
    require_close(nn.diagnose(model, x, t, nn.l1, show=False).loss, nn.l1(model(x), t).item())
    require_close(nn.diagnose(model, x, t, show=False).loss, nn.mse(model(x), t).item())
    require_close(nn.diagnose(model, x, loss=lambda y: y.sum(), show=False).loss, model(x).sum().item())


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_scalar_networks_have_the_numbers_of_the_same_network_on_arrays(activation):
    model = nn.MLP(2, [4, 3], activation, "linear", seed=0)
    model.layers[0].neurons[1].b.data = -100.0
    model.parameters()[0].grad = 7.0
    batch, labels = [[1.0, 2.0], [0.5, -1.0]], [2, 0]
    found, reference = rows(model, batch, labels), rows(model.to_arrays(), batch, np.array(labels))
    assert [row.layer for row in found.values()] == [f"Layer(2, 4, {activation})", "Layer(4, 3, linear)"]
    for mine, linear in (("layers.0", "0"), ("layers.1", "2")):
        require_close(found[mine][3:6], reference[linear][3:6])
    assert found["layers.0"].dead == reference.get("1", found["layers.0"]).dead
    assert model.parameters()[0].grad == 7.0
    without = nn.diagnose(model, batch, show=False).loss, nn.diagnose(model.to_arrays(), batch, show=False).loss
    require_close(without[0], without[1])


def test_a_scalar_network_with_dead_neurons_has_no_gradient():
    model = nn.MLP(2, [4, 1], "relu", "linear", seed=0)
    for neuron in model.layers[0].neurons:
        neuron.b.data = -100.0
    assert nn.diagnose(model, [[1.0, 2.0], [0.5, -1.0]], [1.0, 0.0], show=False).flags == {
        "layers.0": ("dead", "no gradient")
    }


def test_sequences_and_layers_with_a_state_are_diagnosed():
    assert rows(nn.GRU(3, 4, seed=0), normal(2, 5, 3))[""].gradient > 0


def test_the_table_is_printed(capsys):
    model = nn.Sequential(nn.Linear(2, 2, seed=0), nn.ReLU())
    model[0].weight.data, model[0].bias.data = np.eye(2), [-9.0, 0.0]
    found = nn.diagnose(model, [[1.0, 2.0], [3.0, 0.5]])
    printed = capsys.readouterr().out
    assert printed == f"{found}\n"
    assert printed == (
        "name  layer         dead  gradient    weight     ratio\n"
        "────────────────────────────────────────────────────────────\n"
        f"0     Linear(2, 2)        {found.rows[0].gradient:.2e}  9.11e+00  {found.rows[0].ratio:.2e}\n"
        "1     ReLU()         50%                                dead\n"
        "loss 1.0625\n"
        "adjoint.why(parameter, loss) follows the gradient of a parameter to what made it so.\n"
    )


def test_only_modules_are_diagnosed():
    with pytest.raises(errors.ArgumentError, match="diagnose needs a Module, not"):
        nn.diagnose(Value(1.0), [[1.0]])


def test_a_notebook_displays_the_table_unless_it_was_printed(capsys):
    model = nn.Sequential(nn.Linear(2, 4, seed=0), nn.ReLU())
    quiet = nn.diagnose(model, np.ones((3, 2)), show=False)
    assert quiet._repr_mimebundle_()["text/plain"] == str(quiet)
    assert "<td" in quiet._repr_mimebundle_()["text/html"]
    printed = nn.diagnose(model, np.ones((3, 2)))
    assert capsys.readouterr().out == f"{printed}\n"
    assert printed._repr_mimebundle_() == {"text/plain": repr(printed)}
