"""The weights of large models: drawn in parts by several threads, or not at all."""

import numpy as np
import pytest

from adjoint import nn
from adjoint.nn import weight_draws
from adjoint.nn.weight_draws import draw_normal, skip_draws


@pytest.mark.parametrize("threads", [1, 4])
def test_the_numbers_do_not_depend_on_the_number_of_threads(threads, monkeypatch):
    monkeypatch.setattr(weight_draws, "_PART", 100)
    monkeypatch.setattr(weight_draws.os, "cpu_count", lambda: threads)
    with skip_draws():
        layers = [nn.Linear(30, 20, dtype=dtype) for dtype in ("float32", "float64")]
    draw_normal([(layer.weight, 0.5) for layer in layers], np.random.default_rng(0))
    for layer in layers:
        drawn = layer.weight.numpy()
        assert abs(drawn.std() - 0.5) < 0.1
        assert len(np.unique(drawn)) == drawn.size  # each part has numbers of its own
    seeds = np.random.SeedSequence(np.random.default_rng(0).integers(1 << 32, size=4, dtype=np.uint32).tolist()).spawn(
        12
    )
    expected = np.random.default_rng(seeds[7]).standard_normal(100) * 0.5  # the second part of the float64 weights
    np.testing.assert_array_equal(layers[1].weight.numpy().ravel()[100:200], expected)


def test_layers_whose_weights_are_not_drawn_have_zeros():
    with skip_draws():
        layers = [
            nn.Linear(2, 3),
            nn.Embedding(4, 2, padding_idx=1, dtype="float32"),
            nn.LSTM(2, 3),
            nn.Conv1d(1, 2, 3),
        ]
        norm = nn.LayerNorm(3)
    assert not any(p.data.any() for layer in layers for p in layer.parameters())
    assert layers[1].weight.dtype == np.float32
    assert norm.weight.tolist() == [1.0, 1.0, 1.0]  # it is not random
    assert nn.Linear(2, 3).weight.data.all()
