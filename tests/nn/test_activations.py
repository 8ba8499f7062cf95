"""Activation modules agree with PyTorch's modules of the same name."""

import numpy as np
import pytest
import torch
from torch_reference import normal, require_agreement

from adjoint import Value, errors, nn
from adjoint.nn.scalar import ACTIVATIONS

NAMES = ["Tanh", "Sigmoid", "ReLU", "SiLU", "Softplus", "LeakyReLU", "ELU", "GELU", "Identity"]


@pytest.mark.parametrize("name", NAMES)
def test_an_activation_agrees_with_pytorch(name):
    x = np.concatenate([normal(4, 5) * 3, [[0.0, -0.0, 1e-9, 15.0, -15.0]]])
    require_agreement(getattr(nn, name)(), getattr(torch.nn, name)(), x)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (nn.LeakyReLU(0.3), torch.nn.LeakyReLU(0.3)),
        (nn.ELU(0.7), torch.nn.ELU(0.7)),
        (nn.GELU("tanh"), torch.nn.GELU("tanh")),
        (nn.Softmax(), torch.nn.Softmax(-1)),
        (nn.Softmax(0), torch.nn.Softmax(0)),
        (nn.LogSoftmax(), torch.nn.LogSoftmax(-1)),
        (nn.LogSoftmax(1), torch.nn.LogSoftmax(1)),
    ],
    ids=repr,
)
def test_an_activation_with_options_agrees_with_pytorch(ours, theirs):
    require_agreement(ours, theirs, normal(3, 4, 5))


@pytest.mark.parametrize("name", [*ACTIVATIONS, "softmax", "log_softmax"])
def test_every_activation_of_scalar_networks_has_a_module_of_the_same_name(name):
    module, x = nn.activation(name), normal(5)
    expected = x if name == "linear" else getattr(Value(x), name)().data
    np.testing.assert_array_equal(module(Value(x)).data, expected)


@pytest.mark.parametrize("name", NAMES)
def test_activations_accept_numbers_lists_and_scalar_values(name):
    module = getattr(nn, name)()
    expected = module(Value([0.7])).item()
    assert module(Value(0.7)).data == pytest.approx(expected, rel=1e-15)
    assert float(module(0.7)) == pytest.approx(expected, rel=1e-15)
    assert np.asarray(module([0.7])).item() == pytest.approx(expected, rel=1e-15)


def test_an_unknown_activation_suggests_the_nearest():
    with pytest.raises(errors.ArgumentError, match=r"unknown activation 'ReLu' \(did you mean 'relu'\?\); the known"):
        nn.activation("ReLu")
    with pytest.raises(errors.ArgumentError, match=r"unknown approximation 'tan' \(did you mean 'tanh'\?\)"):
        nn.GELU("tan")


def test_the_docstring_of_an_activation_is_its_formula():
    assert nn.Tanh.__doc__ == "Tanh, elementwise: y = tanh(x)    ∂y/∂x = 1 − y²"
