"""`fit` on several devices; tests/stories/test_scaling.py trains on eight of them."""

import pytest
from closeness import require_close

from adjoint import data, fit, nn

jax = pytest.importorskip("jax")


def test_the_best_weights_and_averages_are_split_by_the_names_of_the_model():
    X, y = data.moons(32, noise=0.1, seed=1)
    mesh = jax.make_mesh((1, 1), ("batch", "model"))

    def losses(**options) -> list[float]:
        model = nn.Sequential(nn.Linear(2, 8, seed=1), nn.Tanh(), nn.Linear(8, 2, seed=2))
        history = fit(
            model, X, y, loss="cross_entropy", epochs=2, ema=0.9, validation=0.25, seed=0, progress=False, **options
        )
        return [*history["loss"], *history["validation_loss"]]

    split = losses(jit=True, devices=mesh, shard={"0.weight": ("model", None)})
    require_close(split, losses())
