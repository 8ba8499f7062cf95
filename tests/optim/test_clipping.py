"""Gradient clipping agrees with PyTorch's."""

from math import inf

import numpy as np
import pytest
import torch
from closeness import require_close
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

from adjoint import Value, jit, optim
from adjoint.errors import ArgumentError

random = np.random.default_rng(1)
W, B, S = random.normal(size=(3, 2)), random.normal(size=4), 0.7


def ours(scale):
    parameters = [Value(W), Value(B), Value(S), Value([1.0])]  # the last one has no gradient
    loss(*parameters[:3], scale).backward()
    return parameters


def theirs(scale):
    parameters = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (W, B, S)]
    loss(*parameters, scale).backward()
    return parameters


def loss(w, b, s, scale):
    return scale * ((w**2).sum() * s + (b**3).sum())


def same(parameters, reference):
    for p, q in zip(parameters, reference):
        require_close(p.grad, q.grad.numpy())


@pytest.mark.parametrize("scale", [1e-3, 1.0, 100.0, 0.0])
@pytest.mark.parametrize("norm_type", [2.0, 1.0, 3.0, inf])
def test_gradients_are_scaled_to_a_norm_as_in_pytorch(norm_type, scale):
    parameters, reference = ours(scale), theirs(scale)
    norm = optim.clip_grad_norm(parameters, 0.5, norm_type)
    require_close(norm, clip_grad_norm_(reference, 0.5, norm_type).item())
    same(parameters, reference)


def test_gradients_are_clipped_by_value_as_in_pytorch():
    parameters, reference = ours(10.0), theirs(10.0)
    optim.clip_grad_value(parameters, 1.5)
    clip_grad_value_(reference, 1.5)
    same(parameters, reference)


@pytest.mark.parametrize("norm_type", [2.0, inf])
def test_clipping_works_in_a_compiled_step(norm_type):
    def train(compile):
        w, s = Value(W), Value(S)
        optimizer = optim.SGD([w, s], lr=0.1)

        @compile
        def step():
            optimizer.zero_grad()
            ((w**2).sum() * s * s).backward()
            norm = optim.clip_grad_norm([w, s], 1.0, norm_type)
            optim.clip_grad_value([w, s], 0.4)
            optimizer.step()
            return norm

        return [float(step()) for _ in range(20)], w.data, s.data

    for found, expected in zip(train(jit), train(lambda step: step)):
        require_close(found, expected)


def test_clipping_without_gradients_returns_0():
    w = Value([1.0])
    assert optim.clip_grad_norm([w], 1.0) == 0.0
    optim.clip_grad_value([w], 1.0)
    assert w.grad.tolist() == [0.0]


@pytest.mark.parametrize(
    ("clip", "message"),
    [
        (lambda p: optim.clip_grad_norm(p, 0.0), "max_norm must be a number above 0, not float 0.0"),
        (lambda p: optim.clip_grad_norm(p, 1.0, "two"), "norm_type must be a number above 0, not str 'two'"),
        (lambda p: optim.clip_grad_value(p, -1.0), "clip_value must be a number above 0, not float -1.0"),
        (lambda p: optim.clip_grad_norm(p[0], 1.0), "clip_grad_norm needs a list of parameters"),
        (lambda p: optim.clip_grad_norm([1.0], 1.0), "parameter 0 of clip_grad_norm must be a Value, not float 1.0"),
    ],
)
def test_invalid_arguments_of_clipping_are_refused(clip, message):
    with pytest.raises(ArgumentError) as error:
        clip([Value([1.0])])
    assert message in str(error.value)


@pytest.mark.parametrize(
    "clip",
    [
        lambda p: optim.clip_grad_norm(p, 0.1),
        lambda p: optim.clip_grad_norm(p, 0.1, inf),
        lambda p: optim.clip_grad_norm(p, 0.1, 3.0),
        lambda p: optim.clip_grad_value(p, 0.5),
    ],
)
def test_gradients_of_scalars_are_clipped_in_a_compiled_step(clip):
    def gradients(wrap, x):
        a, b = Value(1.5), Value(-2.0)

        @wrap
        def step(x):
            (a * a * x + a * b).backward()
            return clip([a, b])

        norm = step(x)  # clip_grad_value returns None
        return [a.grad, b.grad, norm or 0.0]

    for x in (2.0, 0.7):  # with 0.7, the gradient of a is small
        eager, compiled = (gradients(wrap, x) for wrap in (lambda fn: fn, jit))
        require_close(compiled, eager)
