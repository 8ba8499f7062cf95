"""find_lr suggests a learning rate that trains well, and changes nothing."""

import numpy as np
import pytest
from closeness import require_close

from adjoint import data, find_lr, fit, nn, optim
from adjoint.errors import AdjointError

X, Y = data.blobs(90, classes=3, seed=0)


def network():
    return nn.Sequential(
        nn.Linear(2, 8, seed=0), nn.BatchNorm1d(8), nn.Tanh(), nn.Dropout(0.1, seed=1), nn.Linear(8, 3, seed=2)
    )


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_the_suggestion_trains_better_than_a_far_smaller_rate(optimizer):
    model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 3, seed=1))
    options = {"loss": "cross_entropy", "optimizer": optimizer, "batch_size": 30}
    found = find_lr(model, X, Y, highest=100.0, **options)
    start = model.state_dict()

    def final(lr):
        model.load_state_dict(start)
        return fit(model, X, Y, lr=lr, epochs=5, seed=0, progress=False, **options)["loss"][-1]

    best = final(found.suggestion)
    assert best < 0.5 * final(found.suggestion / 100)
    require_close(found.rates[0], 1e-6)
    require_close(np.log(found.rates), np.linspace(np.log(1e-6), np.log(1e2), 100)[: len(found.rates)])
    assert len(found.rates) == len(found.losses) == len(found.smoothed) <= 100


@pytest.mark.parametrize("batch_size", [None, 25, 8])
def test_the_noise_of_small_batches_does_not_decide(batch_size):
    points, labels = data.moons(75, noise=0.1, seed=1)
    for seed in range(3):
        model = nn.Sequential(nn.Linear(2, 16, seed=seed), nn.ReLU(), nn.Linear(16, 2, seed=seed + 9))
        found = find_lr(model, points, labels, loss="cross_entropy", batch_size=batch_size)
        assert 1e-3 < found.suggestion < 0.1


def test_the_model_and_the_optimizer_are_left_unchanged():
    model = network()
    optimizer = optim.Adam(model, lr=0.01)
    fit(model, X, Y, loss="cross_entropy", optimizer=optimizer, epochs=2, progress=False)
    before, state = model.state_dict(transient=True), optimizer.state_dict()
    gradients = [p.grad.copy() for p in model.parameters()]
    find_lr(model, X, Y, loss="cross_entropy", optimizer=optimizer, batch_size=30)
    for name, x in model.state_dict(transient=True).items():
        np.testing.assert_array_equal(x, before[name], err_msg=name)
    after = optimizer.state_dict()
    assert after["param_groups"] == state["param_groups"]
    for i, held in state["state"].items():
        for name, x in held.items():
            np.testing.assert_array_equal(after["state"][i][name], x)
    for p, g in zip(model.parameters(), gradients):
        np.testing.assert_array_equal(p.grad, g)
    assert not any(module.training for module in model.modules())
    find_lr(model.train(), X, Y, loss="cross_entropy", optimizer=optimizer, batch_size=30)
    assert all(module.training for module in model.modules())


def test_a_loss_that_explodes_ends_the_search():
    model = nn.Sequential(nn.Linear(2, 1, seed=0))
    found = find_lr(model, X, X[:, 0], loss="mse", optimizer="sgd", highest=1e6, steps=60)
    assert len(found.rates) < 60
    assert np.isfinite(found.losses).all()
    # Gradient descent on squares diverges above 2 / the largest eigenvalue of the Hessian.
    inputs = np.hstack([X, np.ones((90, 1))])
    limit = 2 / np.linalg.eigvalsh(2 * inputs.T @ inputs / 90).max()
    assert limit / 100 < found.suggestion < limit < found.rates[-1]


def test_scalar_networks_and_losses_that_do_not_fall():
    model = nn.MLP(2, [1], seed=0)
    assert find_lr(model, X[:9], X[:9, 0], loss="mse", steps=20, highest=0.1).suggestion > 1e-6
    flat = nn.Sequential(nn.Linear(2, 3, seed=0))
    found = find_lr(flat, X, Y, loss=lambda p, y: (p * 0.0).sum(), steps=8)
    assert found.suggestion is None
    assert repr(found) == "LearningRates(1e-06 to 1, 8 steps; suggestion none)"


def test_the_result_is_a_plot():
    found = find_lr(nn.Sequential(nn.Linear(2, 3, seed=0)), X, Y, loss="cross_entropy", steps=20)
    from adjoint.see.plots import figure

    ax = found.plot(figure()[1][0])
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == ("learning rate", "loss", "log")
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), np.stack([found.rates, found.losses], 1))
    bundle, sizes = found._repr_mimebundle_()
    assert bundle["text/plain"] == repr(found)
    assert bundle["image/png"]
    assert sizes == {"image/png": {"width": 528}}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lowest": 0.0}, "lowest must be a number above 0, not float 0.0"),
        ({"lowest": 1.0, "highest": 0.1}, "lowest must be below highest, but they are 1 and 0.1"),
        ({"steps": 2}, "steps must be an integer of at least 5, not int 2"),
        ({"optimizer": "adm"}, "unknown optimizer 'adm' (did you mean 'adam'?)"),
    ],
)
def test_invalid_arguments_are_refused(options, message):
    with pytest.raises(AdjointError) as error:
        find_lr(nn.Sequential(nn.Linear(2, 3, seed=0)), X, Y, loss="cross_entropy", **options)
    assert message in str(error.value)
