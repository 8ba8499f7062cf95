"""Activation modules agree with PyTorch's modules of the same name."""

import numpy as np
import pytest
import torch
from closeness import require_close
from torch_reference import normal, require_agreement

from adjoint import Value, errors, nn
from adjoint.nn.scalar import ACTIVATIONS

NAMES = [
    "Tanh", "Sigmoid", "ReLU", "SiLU", "Softplus", "LeakyReLU", "ELU", "GELU", "Identity", "Softsign", "LogSigmoid",
    "Tanhshrink", "Mish", "ReLU6", "Hardsigmoid", "Hardswish", "SELU", "Hardtanh", "Hardshrink", "Softshrink", "CELU",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_an_activation_agrees_with_pytorch(name):
    x = np.concatenate([normal(4, 5) * 3, [[0.0, -0.0, 1e-9, 15.0, -15.0]]])
    dtype = "float32" if name == "Hardsigmoid" else None  # PyTorch's slope is 1/6 rounded to float32
    require_agreement(getattr(nn, name)(), getattr(torch.nn, name)(), x, dtype=dtype)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (nn.LeakyReLU(0.3), torch.nn.LeakyReLU(0.3)),
        (nn.ELU(0.7), torch.nn.ELU(0.7)),
        (nn.GELU("tanh"), torch.nn.GELU("tanh")),
        (nn.Softplus(2.0, 1.5), torch.nn.Softplus(2.0, 1.5)),
        (nn.Hardtanh(-0.2, 0.7), torch.nn.Hardtanh(-0.2, 0.7)),
        (nn.Hardshrink(0.8), torch.nn.Hardshrink(0.8)),
        (nn.Softshrink(0.8), torch.nn.Softshrink(0.8)),
        (nn.CELU(0.75), torch.nn.CELU(0.75)),
        (nn.Threshold(0.1, 20.0), torch.nn.Threshold(0.1, 20.0)),
        (nn.Softmin(1), torch.nn.Softmin(1)),
        (nn.GLU(1), torch.nn.GLU(1)),
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
    require_close(module(Value(0.7)).data, expected)
    require_close(float(module(0.7)), expected)
    require_close(np.asarray(module([0.7])).item(), expected)


def test_an_unknown_activation_suggests_the_nearest():
    with pytest.raises(errors.ArgumentError, match=r"unknown activation 'ReLu' \(did you mean 'relu'\?\); the known"):
        nn.activation("ReLu")
    with pytest.raises(errors.ArgumentError, match=r"unknown approximation 'tan' \(did you mean 'tanh'\?\)"):
        nn.GELU("tan")
