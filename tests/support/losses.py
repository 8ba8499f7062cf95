"""Targets for losses, and a loss compared with PyTorch's."""

import numpy as np
import torch
from closeness import require_close
from torch_reference import normal

from adjoint import Value


def probabilities(*shape, seed=0, axis=1):
    x = np.exp(normal(*shape, seed=seed))
    return x / x.sum(axis=axis, keepdims=True)


def chances(*shape, seed=0):
    return np.random.default_rng(seed).random(shape)


def signs(*shape, seed=0):
    return np.where(normal(*shape, seed=seed) > 0, 1.0, -1.0)


def their_hinge(p, t, margin=1.0, reduction="mean"):
    losses = torch.relu(margin - p * t)
    return {"mean": losses.mean(), "sum": losses.sum(), "none": losses}[reduction]


def require_loss(ours, theirs, prediction, target, target_varies=False):
    """Require the same loss and gradients as PyTorch's."""
    p, their_p = Value(prediction), torch.tensor(prediction, requires_grad=True)
    t, their_t = (Value(target) if target_varies else target), torch.tensor(target, requires_grad=target_varies)
    found, expected = ours(p, t), theirs(their_p, their_t)
    require_close(found, expected, "the loss", scale=1.0)
    cotangent = np.ones(tuple(expected.shape)) + normal(*expected.shape, seed=5)
    found.backward(cotangent if expected.ndim else None)
    expected.backward(torch.tensor(cotangent) if expected.ndim else None)
    require_close(p.grad, their_p.grad, "the gradient of the predictions", scale=1.0)
    if target_varies:
        require_close(t.grad, their_t.grad, "the gradient of the targets", scale=1.0)
