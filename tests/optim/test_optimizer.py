"""Every optimiser against PyTorch's, on numbers and on arrays, as they stand and compiled."""

import numpy as np
import pytest
import torch

from adjoint import Value, jit, optim

STEPS = 100
random = np.random.default_rng(0)
X, Y = random.normal(size=(12, 3)), random.normal(size=(12, 2))
W, B, S = random.normal(size=(3, 2)), random.normal(size=2), random.normal()


def loss_of(W, b, s, tanh):
    """A problem that is neither linear nor quadratic, of two arrays and a number."""
    return ((tanh(X @ W + b) * s - Y) ** 2).sum() / 4


def torch_losses(kind, **options):
    """The losses of 100 steps with PyTorch's optimiser, and the parameters afterwards."""
    parameters = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (W, B, S)]
    optimizer, x, y = kind(parameters, **options), torch.tensor(X), torch.tensor(Y)
    losses = []
    for _ in range(STEPS):
        loss = ((torch.tanh(x @ parameters[0] + parameters[1]) * parameters[2] - y) ** 2).sum() / 4
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, [p.detach().numpy() for p in parameters]


def arrays_losses(kind, compile=lambda step: step, **options):
    parameters = [Value(W), Value(B), Value(S)]
    optimizer = kind(parameters, **options)

    @compile
    def step():
        loss = loss_of(*parameters, lambda v: v.tanh())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return [float(step()) for _ in range(STEPS)], [p.data for p in parameters]


def numbers_losses(kind, **options):
    """The same with every weight a Value of its own."""
    weights, bias, scale = [[Value(w) for w in row] for row in W], [Value(b) for b in B], Value(S)
    optimizer = kind([*(w for row in weights for w in row), *bias, scale], **options)
    losses = []
    for _ in range(STEPS):
        loss = Value(0.0)
        for x, y in zip(X.tolist(), Y.tolist()):
            for j in range(2):
                total = bias[j]
                for i in range(3):
                    total = total + x[i] * weights[i][j]
                loss = loss + (total.tanh() * scale - y[j]) ** 2
        loss = loss / 4
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.data)
    return losses, [np.array([[w.data for w in row] for row in weights]), [b.data for b in bias], scale.data]


def close(ours, reference):
    losses, parameters = reference
    np.testing.assert_allclose(ours[0], losses, rtol=1e-10, atol=1e-10)
    for p, q in zip(ours[1], parameters):
        np.testing.assert_allclose(p, q, rtol=1e-10, atol=1e-10)


CASES = [
    ("SGD", {"lr": 0.05}),
    ("SGD", {"lr": 0.05, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.02, "momentum": 0.9}),
    ("SGD", {"lr": 0.02, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.02, "momentum": 0.8, "nesterov": True, "weight_decay": 0.01}),
    ("Adam", {"lr": 0.05}),
    ("Adam", {"lr": 0.1, "betas": (0.8, 0.9), "eps": 1e-4, "weight_decay": 0.1}),
    ("AdamW", {"lr": 0.05}),
    ("AdamW", {"lr": 0.1, "betas": (0.5, 0.99), "eps": 1e-6, "weight_decay": 0.3}),
    ("RMSprop", {"lr": 0.02}),
    ("RMSprop", {"lr": 0.01, "alpha": 0.9, "momentum": 0.5, "weight_decay": 0.1, "eps": 1e-2}),
    ("RMSprop", {"lr": 0.02, "centered": True, "eps": 1e-3}),
    ("Adagrad", {"lr": 0.1}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5, "eps": 1e-3}),
]
each_case = pytest.mark.parametrize(("name", "options"), CASES, ids=lambda x: x if isinstance(x, str) else str(x))


@each_case
def test_a_hundred_steps_on_arrays_are_those_of_pytorch(name, options):
    close(arrays_losses(getattr(optim, name), **options), torch_losses(getattr(torch.optim, name), **options))


@each_case
def test_a_hundred_steps_on_numbers_are_those_of_pytorch(name, options):
    close(numbers_losses(getattr(optim, name), **options), torch_losses(getattr(torch.optim, name), **options))


@each_case
def test_a_hundred_compiled_steps_are_those_of_pytorch(name, options):
    close(arrays_losses(getattr(optim, name), jit, **options), torch_losses(getattr(torch.optim, name), **options))
