"""A module as a function of its parameters, against `torch.func.functional_call`."""

import numpy as np
import pytest
import torch
from closeness import require_close

import adjoint
from adjoint import grad, jit, nn
from adjoint.errors import AdjointError

X = np.array([[1.0, 2.0], [0.5, -1.0], [2.0, 0.3]])


def test_functional_call_follows_pytorch_and_leaves_the_module_alone():
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    peer = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1)).double()
    random = np.random.default_rng(0)
    params = {name: random.normal(size=p.shape) for name, p in model.named_parameters()}
    before = {name: (p, p.data.copy()) for name, p in model.named_parameters()}

    def loss(params):
        return (nn.functional_call(model, params, X) ** 2).sum()

    names = [name for name, _ in peer.named_parameters()]
    theirs = {name: torch.tensor(p, requires_grad=True) for name, p in zip(names, params.values())}
    total = (torch.func.functional_call(peer, theirs, torch.tensor(X)) ** 2).sum()
    total.backward()
    found = grad(loss)(params)
    require_close(loss(params).item(), total.item())
    for gradient, p in zip(found.values(), theirs.values()):
        require_close(gradient, p.grad.numpy())
    compiled = jit(grad(loss))(params)
    require_close(next(iter(compiled.values())), next(iter(found.values())))
    for name, p in model.named_parameters():
        assert p is before[name][0]
        np.testing.assert_array_equal(p.data, before[name][1])


def test_a_shared_parameter_is_replaced_everywhere_and_others_are_the_modules_own():
    class Tied(nn.Module):
        def __init__(self):
            self.layers = [nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)]
            self.layers[1].weight = self.layers[0].weight
            self.scale = adjoint.Value(3.0)

        def forward(self, x):
            return self.layers[1](self.layers[0](x)) * self.scale

    found = nn.functional_call(Tied(), {"layers.0.weight": 2 * np.eye(2)}, (X,))
    require_close(found.data, 12 * X)


def test_a_module_is_restored_after_an_error_and_unknown_names_are_explained():
    layer = nn.Linear(2, 3)
    weight = layer.weight
    with pytest.raises(AdjointError):
        nn.functional_call(layer, {"weight": np.zeros((5, 3))}, X)
    assert layer.weight is weight
    with pytest.raises(AdjointError, match=r"unknown parameter 'wieght' \(did you mean 'weight'"):
        nn.functional_call(layer, {"wieght": weight.data}, X)
    with pytest.raises(AdjointError, match="a dict of parameters by name, not list"):
        nn.functional_call(layer, [weight], X)


def test_two_values_for_a_shared_parameter_are_refused():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight
    with pytest.raises(AdjointError, match=r"several values for '0.weight' and '1.weight', which are one parameter"):
        nn.functional_call(model, {"0.weight": np.ones((2, 2)), "1.weight": np.zeros((2, 2))}, np.ones((1, 2)))
    weight = np.ones((2, 2))
    assert nn.functional_call(model, {"0.weight": weight, "1.weight": weight}, np.ones((1, 2))).shape == (1, 2)
