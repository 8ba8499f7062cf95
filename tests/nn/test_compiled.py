"""Modules under jit: the same numbers as without it, and state that is carried between calls."""

from queue import SimpleQueue

import numpy as np
import pytest
import torch
from closeness import require_close
from torch_reference import normal, require_agreement

import adjoint
from adjoint import nn

PAIRS = {
    "Linear": (lambda m: m.Linear(3, 2), (4, 3)),
    "Conv2d": (lambda m: m.Conv2d(1, 2, 3, padding=1), (2, 1, 5, 5)),
    "LayerNorm": (lambda m: m.LayerNorm(3), (4, 3)),
    "BatchNorm1d": (lambda m: m.BatchNorm1d(3), (4, 3)),
    "LSTM": (lambda m: m.LSTM(3, 2, 2, batch_first=True), (2, 4, 3)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_compiled_layers_agree_with_pytorch(name):
    make, shape = PAIRS[name]
    require_agreement(make(nn), make(torch.nn), normal(*shape), compiled=True)


def train(compiled, dropout=0.0, dtype="float64", steps=5):
    """Train a model with norms and dropout, and return it with its losses."""
    model = nn.Sequential(
        nn.Linear(4, 8, seed=0), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(dropout, seed=1), nn.Linear(8, 3, seed=2)
    ).astype(dtype)

    def step(x, y):
        loss = nn.cross_entropy(model(x), y)
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= 0.1 * p.grad
        return loss

    step = adjoint.jit(step) if compiled else step
    losses = [float(step(normal(16, 4, seed=i), np.arange(16) % 3)) for i in range(steps)]
    return model, losses, step


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_compiled_training_matches_eager_training_and_its_running_statistics(dtype):
    (ours, losses, _), (compiled, others, _) = train(False, dtype=dtype), train(True, dtype=dtype)
    require_close(others, losses, dtype=dtype)
    state, other = ours.state_dict(), compiled.state_dict()
    for name in state:
        require_close(other[name], state[name], name)
    assert other["1.num_batches_tracked"] == 5
    assert type(compiled[1].num_batches_tracked) is int


def test_compiled_dropout_draws_a_new_mask_in_each_step_and_counts_them():
    layer = nn.Dropout(0.5, seed=0)
    draw = adjoint.jit(lambda x: layer(x))
    first, second, third = (np.asarray(draw(np.ones(200))) for _ in range(3))
    assert not np.array_equal(first, second)
    assert not np.array_equal(second, third)
    for drawn_ones in (first, second, third):
        assert set(np.unique(drawn_ones)) == {0.0, 2.0}
        assert 50 < (drawn_ones == 0).sum() < 150
    assert layer.draws == 3
    layer.draws = 1
    np.testing.assert_array_equal(draw(np.ones(200)), second)


def test_compiled_training_with_dropout_resumes_exactly():
    model, _, step = train(True, dropout=0.3)
    state = model.state_dict(transient=True)
    expected = [float(step(normal(16, 4, seed=9), np.arange(16) % 3)) for _ in range(3)]
    other, _, again = train(True, dropout=0.3, steps=1)
    other.load_state_dict(state)
    assert [float(again(normal(16, 4, seed=9), np.arange(16) % 3)) for _ in range(3)] == expected


def test_compiled_training_and_evaluation_alternate_without_recompiling():
    model = nn.Sequential(nn.Linear(4, 3, seed=0), nn.BatchNorm1d(3), nn.Dropout(0.5, seed=0))
    traces = SimpleQueue()  # a list would be state of the function

    @adjoint.jit
    def run(x):
        traces.put(model.training)
        return model(x)

    x = normal(8, 4)
    for _ in range(3):
        model.train()
        assert not np.array_equal(run(x).data, run(x).data)
        model.eval()
        np.testing.assert_array_equal(run(x).data, run(x).data)
    modes = [traces.get() for _ in range(traces.qsize())]
    assert modes.count(False) == 1
    assert modes.count(True) == 2  # the second is for the counters


def test_compiled_losses_accept_labels_and_ignore_some():
    scores = normal(5, 3)
    compiled = adjoint.jit(lambda x, y: nn.cross_entropy(x, y))
    for labels in (np.array([0, 1, 2, 0, 1]), np.array([0, -100, 2, -100, 1])):
        expected = torch.nn.functional.cross_entropy(torch.tensor(scores), torch.tensor(labels)).item()
        require_close(float(compiled(adjoint.Value(scores), labels)), expected)
