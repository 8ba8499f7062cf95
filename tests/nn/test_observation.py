"""Observing a network: every output is seen, and the model is restored, also after an error."""

import numpy as np
import pytest

from adjoint import nn
from adjoint.nn.observation import observe, own_parameters


def network() -> nn.Sequential:
    return nn.Sequential(nn.Linear(2, 4, seed=0), nn.BatchNorm1d(4), nn.Dropout(0.5, seed=0), nn.Linear(4, 1, seed=1))


def test_observe_restores_a_model_that_was_trained_inside_the_block():
    model, seen = network(), []
    model(np.ones((3, 2))).sum().backward()
    before, gradients = model.state_dict(transient=True), [p.grad.copy() for p in model.parameters()]

    def work():
        with observe(model, lambda module, inputs, output: seen.append(module)):
            assert not any(p.grad.any() for p in model.parameters())
            model(np.ones((3, 2))).sum().backward()
            for p in model.parameters():
                p.data = p.data - p.grad
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert seen == [*model, model]
    after = model.state_dict(transient=True)
    assert before.keys() == after.keys()
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert all(np.array_equal(p.grad, g) for p, g in zip(model.parameters(), gradients))
    seen.clear()
    model(np.ones((3, 2)))
    assert seen == []


def test_own_parameters_exclude_submodules_and_buffers():
    model = network()
    assert own_parameters(model) == []
    assert own_parameters(model[1]) == [model[1].weight, model[1].bias]
