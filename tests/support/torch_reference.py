"""Compare a layer of adjoint with the same layer of PyTorch: outputs, gradients and buffers."""

import warnings

import numpy as np
import torch

import adjoint
from adjoint import Value

TOLERANCE = 1e-10


def require_same(ours, theirs, what: str, tolerance: float = TOLERANCE) -> None:
    """Require the same shape and numbers, up to rounding at the scale of the largest."""
    ours = ours.data if isinstance(ours, Value) else ours
    ours, theirs = np.asarray(ours), theirs.detach().numpy()
    assert ours.shape == theirs.shape, f"{what} has the shape {ours.shape}, not {theirs.shape}"
    scale = max(1.0, float(np.abs(theirs).max(initial=0.0)))
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance * scale, err_msg=what)


def require_agreement(ours, theirs, *inputs, training=True, compiled=False, tolerance=TOLERANCE) -> None:
    """Load the weights of PyTorch's layer into ours, and require the same outputs, gradients and buffers.

    Floating-point inputs are variables; all others are constants.
    """
    theirs.double().train(training)
    ours.train(training)
    ours.load_state_dict(theirs.state_dict())
    copies = [torch.tensor(x) for x in inputs]
    for x in copies:
        x.requires_grad_(x.is_floating_point())
    values = [Value(x) if np.asarray(x).dtype.kind == "f" else x for x in inputs]
    with warnings.catch_warnings():  # PyTorch warns about its speed
        warnings.simplefilter("ignore")
        expected = _flat(theirs(*copies))
    cotangents = [torch.tensor(np.random.default_rng(i).normal(size=tuple(y.shape))) for i, y in enumerate(expected)]
    for p in theirs.parameters():
        p.grad = None
    sum((y * c).sum() for y, c in zip(expected, cotangents)).backward()

    def run(values):
        found = _flat(ours(*values))
        ours.zero_grad()
        sum((y * c.numpy()).sum() for y, c in zip(found, cotangents)).backward()
        return found

    found = (adjoint.jit(run) if compiled else run)(values)
    for i, (y, reference) in enumerate(zip(found, expected, strict=True)):
        require_same(y, reference, f"output {i}", tolerance)
    for i, (v, x) in enumerate(zip(values, copies)):
        if isinstance(v, Value):
            require_same(v.grad, x.grad, f"the gradient of input {i}", tolerance)
    gradients = dict(ours.named_parameters())
    for name, p in theirs.named_parameters():
        require_same(gradients[name].grad, p.grad, f"the gradient of {name}", tolerance)
    state = ours.state_dict()
    assert state.keys() == theirs.state_dict().keys()
    for name, buffer in theirs.named_buffers():
        require_same(state[name], buffer, name)


def _flat(outputs) -> list:
    if isinstance(outputs, (tuple, list)):
        return [y for part in outputs for y in _flat(part)]
    return [outputs]


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    """Return an array of standard normal numbers."""
    return np.random.default_rng(seed).normal(size=shape)
