"""`fit` trains with LBFGS on full batches."""

import pytest

from adjoint import data, fit, nn, optim
from adjoint.errors import AdjointError

POINTS, TARGETS = data.moons(40, noise=0.1, seed=0)


def network():
    return nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 2, seed=1))


def train(model, optimizer, epochs, **options):
    return fit(
        model, POINTS, TARGETS, loss="cross_entropy", metrics="accuracy", optimizer=optimizer, epochs=epochs, l2=1e-4,
        progress=False, **options,
    )  # fmt: skip


def test_training_with_lbfgs_resumes_bit_for_bit(tmp_path):
    options = {"checkpoint": tmp_path / "model.safetensors"}
    whole, first, second = network(), network(), network()
    expected = train(whole, optim.LBFGS(whole, line_search_fn="strong_wolfe"), 6)
    assert expected["accuracy"][-1] == 1.0
    assert expected["loss"][-1] < 0.1 < expected["loss"][0]
    train(first, optim.LBFGS(first, line_search_fn="strong_wolfe"), 3, **options)
    resumed = train(second, optim.LBFGS(second), 6, resume=True, **options)
    assert resumed["loss"] == expected["loss"]


def test_the_loss_of_an_epoch_is_that_before_its_step():
    model, other = network(), network()
    first = train(model, "lbfgs", 1, lr=0.5)["loss"][0]
    assert first == train(other, "sgd", 1)["loss"][0]


def test_scalar_networks_train_with_lbfgs():
    model = nn.MLP(2, [4, 1], "tanh", "linear", seed=1)
    history = fit(model, POINTS, 2 * TARGETS - 1, loss="mse", optimizer="lbfgs", lr=0.5, epochs=3, progress=False)
    assert history["loss"][-1] < 0.5 * history["loss"][0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 8}, "LBFGS needs all samples in each step, but there are 5 batches; leave out batch_size"),
        ({"jit": True}, "fit cannot use jit with LBFGS; leave it out, or use 'adam'"),
        ({"accumulate": 2}, "fit cannot use accumulate with LBFGS"),
        ({"clip_norm": 1.0}, "fit cannot use clip_norm with LBFGS"),
    ],
)
def test_what_lbfgs_cannot_use_is_refused(options, message):
    with pytest.raises(AdjointError) as error:
        train(network(), "lbfgs", 1, **options)
    assert message in str(error.value)


def test_muon_refuses_a_model_with_biases():
    with pytest.raises(AdjointError, match=r"parameter 1 has shape \(8,\); give biases, embeddings and numbers to"):
        train(network(), "muon", 1)
