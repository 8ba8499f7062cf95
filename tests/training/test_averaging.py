"""`fit(ema=...)` evaluates, keeps and returns the average of the weights."""

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import data, evaluate, fit, nn
from adjoint.errors import AdjointError

X, Y = data.blobs(60, classes=3, seed=0)


def network():
    return nn.Sequential(nn.Linear(2, 3, seed=0))


def train(model, epochs=4, ema=0.9, **options):
    options = {
        "optimizer": "sgd",
        "lr": 0.05,
        "loss": "cross_entropy",
        "batch_size": 20,
        "seed": 1,
        "validation": (X, Y),
    } | options
    return fit(model, X, Y, epochs=epochs, ema=ema, progress=False, **options)


def averages_by_hand(epochs=4):
    """Return the averages of the weights after each step, computed from the weights that a callback sees."""
    seen = []

    class Weights(adjoint.Callback):
        def on_step(self, model, step):
            seen.append(model[0].weight.data.copy())

    train(network(), epochs, ema=None, callbacks=Weights())
    average = seen[0]
    for w in seen[1:]:
        average = 0.9 * average + 0.1 * w
    return average


@pytest.mark.parametrize("jit", [False, True])
def test_the_model_has_the_average_after_training(jit):
    model = network()
    history = train(model, jit=jit)
    require_close(model[0].weight.data, averages_by_hand())
    require_close(history["validation_loss"][-1], evaluate(model, (X, Y), loss="cross_entropy")["loss"])
    require_close(history["loss"], train(network(), ema=None)["loss"])


def test_scalar_networks_have_averages_too():
    def averaged(jit):
        model = nn.MLP(2, [1], "tanh", "linear", seed=0)
        fit(model, X, (Y > 0) * 2 - 1, loss="mse", epochs=3, batch_size=20, ema=0.5, jit=jit, seed=0, progress=False)
        return [p.data for p in model.parameters()]

    require_close(averaged(True), averaged(False))


def test_training_with_an_average_resumes_bit_for_bit(tmp_path):
    path = tmp_path / "model.safetensors"
    whole, first, second = network(), network(), network()
    expected = train(whole, 5)
    train(first, 2, checkpoint=path)
    resumed = train(second, 5, checkpoint=path, resume=True)
    for name in ("loss", "validation_loss"):
        assert resumed[name] == expected[name]
    np.testing.assert_array_equal(second[0].weight.data, whole[0].weight.data)
    best, _ = adjoint.load(path)
    np.testing.assert_array_equal(best[0].weight.data, whole[0].weight.data)  # the last epoch is the best
    with pytest.raises(AdjointError, match=r"was trained with ema=0.9, but now it is 0.5; use the same"):
        train(network(), 6, ema=0.5, checkpoint=path, resume=True)


def test_training_that_ends_early_leaves_the_best_average():
    model = network()
    others = -X, Y  # their loss grows
    history = train(model, validation=others, early_stopping=2)
    assert history.stopped == "early stopping"
    assert history.best["epoch"] == 1
    found = evaluate(model, others, loss="cross_entropy")["loss"]
    require_close(found, history["validation_loss"][0])


def test_a_decay_that_is_no_fraction_is_refused():
    with pytest.raises(AdjointError, match="the decay of EMA must be a number of at least 0 and below 1, not int 2"):
        train(network(), ema=2)
