"""Compare a layer of adjoint with the same layer of PyTorch: outputs, gradients and buffers."""

import warnings

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value


def require_agreement(ours, theirs, *inputs, training=True, compiled=False, dtype=None) -> None:
    """Load the weights of PyTorch's layer into ours, and require the same outputs, gradients and buffers.

    Floating-point inputs are variables; all others are constants. `dtype` is the precision of PyTorch's gradients.
    """
    torch = pytest.importorskip("torch")
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
        require_close(y, reference, f"output {i}", scale=1.0)
    for i, (v, x) in enumerate(zip(values, copies)):
        if isinstance(v, Value):
            require_close(v.grad, x.grad, f"the gradient of input {i}", scale=1.0, dtype=dtype)
    gradients = dict(ours.named_parameters())
    for name, p in theirs.named_parameters():
        require_close(gradients[name].grad, p.grad, f"the gradient of {name}", scale=1.0)
    state = ours.state_dict()
    assert state.keys() == theirs.state_dict().keys()
    for name, buffer in theirs.named_buffers():
        require_close(state[name], buffer, name, scale=1.0)


def _flat(outputs) -> list:
    if isinstance(outputs, (tuple, list)):
        return [y for part in outputs for y in _flat(part)]
    return [outputs]


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    """Return an array of standard normal numbers."""
    return np.random.default_rng(seed).normal(size=shape)
