"""Weights of samples and classes, and gradient accumulation, against PyTorch, scikit-learn and loops by hand."""

import numpy as np
import pytest
import torch
from closeness import require_close
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.utils.class_weight import compute_sample_weight

from adjoint import Callback, data, errors, fit, nn
from adjoint.data import DataLoader

X, Y = data.blobs(50, classes=3, noise=2.0, seed=1)
W = np.random.default_rng(0).uniform(0, 2, 50)


def network(outputs: int = 3) -> nn.Sequential:
    return nn.Sequential(nn.Linear(2, 5, seed=0), nn.Tanh(), nn.Linear(5, outputs, seed=1))


def scalar_network(outputs: int = 3) -> nn.MLP:
    return nn.MLP(2, [4, outputs], "tanh", "linear", seed=2)


def train(model, *given, **options):
    common = {"loss": "cross_entropy", "optimizer": "sgd", "lr": 0.1, "epochs": 2, "progress": False}
    return fit(model, *(given or (X, Y)), **common | options)


def torch_losses(loss, target, epochs=2, batches=(slice(None),), outputs=3):
    """Return the losses of the same loop in PyTorch; `loss` is a function of logits, targets and rows."""
    twin = torch.nn.Sequential(torch.nn.Linear(2, 5), torch.nn.Tanh(), torch.nn.Linear(5, outputs)).double()
    twin.load_state_dict({name: torch.from_numpy(x) for name, x in network(outputs).state_dict().items()})
    sgd, found = torch.optim.SGD(twin.parameters(), lr=0.1), []
    for _ in range(epochs):
        for rows in batches:
            value = loss(twin(torch.from_numpy(X[rows])), torch.from_numpy(target)[rows], rows)
            sgd.zero_grad()
            value.backward()
            sgd.step()
            found.append(value.item())
    return found


def functional(name, *extra):
    return lambda p, t, rows: getattr(torch.nn.functional, name)(p, t, *extra)


# --- weights ---


def test_class_weights_are_those_of_pytorch():
    weights = torch.tensor([1.0, 2.0, 5.0]).double()
    batches = [slice(0, 32), slice(32, 50)]
    expected = torch_losses(functional("cross_entropy", weights), Y, batches=batches)
    totals = [weights[Y[rows]].sum().item() for rows in batches]
    means = [np.average(expected[k : k + 2], weights=totals) for k in (0, 2)]
    for given in ([1.0, 2.0, 5.0], {0: 1.0, 1: 2, 2: 5.0}, {1: 2.0, 2: 5.0}):
        history = train(network(), DataLoader(X, Y, batch_size=32), class_weight=given)
        require_close(history["loss"], means)


TARGETS = np.random.default_rng(1).normal(size=50)
SIGNS, BITS, PAIRS = np.where(Y > 0, 1, -1), np.minimum(Y, 1), np.random.default_rng(2).normal(size=(50, 3))
LOSSES = {
    "mse": (TARGETS, lambda p, t: (p - t) ** 2),
    "l1": (PAIRS, lambda p, t: (p - t).abs()),
    "huber": (TARGETS, lambda p, t: torch.nn.functional.huber_loss(p, t, reduction="none")),
    "hinge": (SIGNS, lambda p, t: (1 - p * t).relu()),
    "binary_cross_entropy_with_logits": (
        BITS,
        lambda p, t: torch.nn.functional.binary_cross_entropy_with_logits(p, t.double(), reduction="none"),
    ),
    "cross_entropy": (Y, lambda p, t: torch.nn.functional.cross_entropy(p, t, reduction="none")),
}


@pytest.mark.parametrize(("name", "jit"), [*((name, False) for name in LOSSES), ("l1", True), ("cross_entropy", True)])
def test_the_loss_is_the_weighted_mean_over_the_samples(name, jit):
    target, each = LOSSES[name]
    outputs = 3 if name in ("cross_entropy", "l1") else 1

    def weighted(p, t, rows):
        p = p if outputs == 3 else p[:, 0]
        losses = each(p, t).reshape(50, -1).mean(1)
        return (losses * torch.from_numpy(W)).sum() / W.sum()

    expected = torch_losses(weighted, target, outputs=outputs)
    history = train(network(outputs), X, target, loss=name, sample_weight=W, jit=jit)
    require_close(history["loss"], expected)


@pytest.mark.parametrize("name", LOSSES)
def test_scalar_and_array_networks_have_the_same_weighted_losses(name):
    target = LOSSES[name][0]
    outputs = 3 if name in ("cross_entropy", "l1") else 1
    model = scalar_network(outputs)
    options = {"loss": name, "sample_weight": W, "batch_size": 20, "metrics": "mse" if name == "l1" else ()}
    expected = train(model.to_arrays(), X, target, **options)
    for jit in (False, True):
        history = train(scalar_network(outputs), X, target, jit=jit, **options)
        require_close(history["loss"], expected["loss"])


def test_the_weighted_losses_are_those_of_scikit_learn():
    model = network()
    p = np.exp(model(X).numpy())
    found = train(model, lr=0.0, epochs=1, sample_weight=W)["loss"][0]
    require_close(found, log_loss(Y, p / p.sum(1, keepdims=True), sample_weight=W))
    line = nn.Linear(2, 1, seed=0)
    expected = mean_squared_error(TARGETS, line(X).numpy()[:, 0], sample_weight=W)
    require_close(train(line, X, TARGETS, loss="mse", lr=0.0, epochs=1, sample_weight=W)["loss"][0], expected)
    balanced = compute_sample_weight("balanced", Y)
    require_close(train(network(), class_weight="balanced")["loss"], train(network(), sample_weight=balanced)["loss"])


def test_weights_multiply_and_equal_weights_change_nothing():
    both = train(network(), sample_weight=W, class_weight={0: 3.0})["loss"]
    require_close(both, train(network(), sample_weight=W * np.where(Y == 0, 3.0, 1.0))["loss"])
    equal = train(network(), sample_weight=np.full(50, 7.0), metrics="accuracy", validation=(X, Y))
    plain = train(network(), metrics="accuracy", validation=(X, Y))
    for name in ("loss", "accuracy", "validation_loss"):
        require_close(equal[name], plain[name])


def test_batches_bring_their_weights_and_ignored_labels_have_none():
    labels = np.where(W > 1.5, -100, Y)
    expected = train(network(), X[labels >= 0], Y[labels >= 0], sample_weight=W[labels >= 0])["loss"]
    for given in ([(X, labels, W)], DataLoader(X, labels, W, batch_size=50)):
        require_close(train(network(), given, sample_weight=True)["loss"], expected)
    none = train(network(), [(X, Y, W), (X, Y, 0 * W)], sample_weight=True, epochs=1)["loss"]
    require_close(none, train(network(), sample_weight=W, epochs=1)["loss"])


def test_losses_with_a_reduction_take_weights():
    expected = train(network(), sample_weight=W)["loss"]

    def own(prediction, target, reduction="mean"):
        return nn.cross_entropy(prediction, target, reduction=reduction)

    for loss in (nn.CrossEntropyLoss(), nn.cross_entropy, own):
        require_close(train(network(), loss=loss, sample_weight=W)["loss"], expected)


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ((), {"sample_weight": -W}, "sample_weight must be finite and at least 0, but it contains -"),
        ((), {"sample_weight": W[:40]}, "sample_weight must have shape (50,), one number per sample, not (40,)"),
        ((), {"sample_weight": W * np.nan}, "sample_weight must be finite and at least 0, but it contains nan"),
        ((), {"sample_weight": 0 * W}, "all numbers of sample_weight are 0"),
        ((X, X), {"class_weight": {0: 1.0}, "loss": "mse"}, "class_weight needs targets that are labels of classes"),
        ((X, np.eye(3)[Y]), {"class_weight": "balanced"}, "class_weight needs labels, one integer per sample"),
        ((), {"sample_weight": np.ones((50, 2))}, "sample_weight must have shape (50,), one number per sample"),
        (
            (),
            {"sample_weight": W, "loss": lambda p, t: nn.cross_entropy(p, t)},
            "need a loss that can return one number",
        ),
        ((), {"class_weight": [1.0, 2.0]}, "class_weight has 2 weights, but there is the label 2"),
        ((), {"class_weight": {0: -1.0}}, "the weight of class 0 must be a number of at least 0, not float -1.0"),
        ((), {"class_weight": "equal"}, "class_weight must be 'balanced', a dict such as"),
        ((), {"class_weight": 3.0}, "class_weight must be 'balanced', a dict such as"),
        (([(X, Y)],), {"class_weight": "balanced"}, "class_weight='balanced' needs all targets before training"),
        (([(X, Y)],), {"sample_weight": W}, "for batches (x, y, weights) pass sample_weight=True"),
        (([(X, Y)],), {"sample_weight": True}, "a batch must be inputs, targets and weights, (x, y, weights)"),
        (
            (),
            {"sample_weight": W, "loss": nn.CrossEntropyLoss(weight=np.ones(3))},
            "the loss has weights of classes of its own",
        ),
    ],
)
def test_invalid_weights_are_refused(given, options, message):
    with pytest.raises(errors.AdjointError) as error:
        train(network(), *given, **options)
    assert message in str(error.value)


# --- accumulation ---


ALL = {"clip_norm": 0.05, "sample_weight": W, "l2": 0.01}


@pytest.mark.parametrize(
    ("make", "jit", "options"),
    [
        (network, False, {}),
        (network, False, ALL),
        (network, True, ALL),
        (scalar_network, False, ALL),
        (scalar_network, True, {}),
        (scalar_network, True, ALL),
    ],
)
def test_accumulated_batches_are_one_large_batch(make, jit, options):
    # 50 samples: groups of 4 batches of 8, and a last group of 2 batches and one of 2 samples
    common = {"epochs": 3, "optimizer": "adam", "seed": 3, **options}
    small, large = make(), make()
    history = train(small, batch_size=8, accumulate=4, jit=jit, **common)
    expected = train(large, batch_size=32, **common)
    for p, q in zip(small.parameters(), large.parameters()):
        require_close(np.asarray(p.data), np.asarray(q.data))
    require_close(history["loss"], expected["loss"])


@pytest.mark.parametrize("jit", [False, pytest.param(True, id="compiled")])
def test_schedules_and_callbacks_count_updates(jit):
    class Log(Callback):
        def __init__(self):
            self.steps = []

        def on_step(self, model, step):
            self.steps.append(step)

    small, large = Log(), Log()
    options = {"schedule": lambda part: 1 - part, "jit": jit, "seed": 3}
    train(network(), batch_size=8, accumulate=4, callbacks=small, **options)
    train(network(), batch_size=32, callbacks=large, **options)
    assert [step.number for step in small.steps] == [1, 2, 3, 4]
    require_close(small.steps, large.steps)


def test_accumulation_needs_no_zeroed_gradients():
    model = network()
    nn.cross_entropy(model(X), Y).backward()  # gradients of before
    expected = train(network(), batch_size=25, accumulate=2)["loss"]
    assert train(model, batch_size=25, accumulate=2)["loss"] == expected


@pytest.mark.parametrize("jit", [False, pytest.param(True, id="compiled")])
@pytest.mark.parametrize("make", [network, scalar_network])
def test_accumulation_ends_at_a_loss_that_is_not_finite_before_the_update(make, jit):
    points = np.where(np.arange(50) == 40, 1e200, 1.0)[:, None] * np.ones((50, 2))
    model = nn.Sequential(nn.Linear(2, 1, seed=0)) if make is network else nn.MLP(2, [1], "linear", "linear", seed=0)
    before = [np.array(p.data) for p in model.parameters()]
    loader = DataLoader(points, TARGETS, batch_size=10)
    with pytest.warns(errors.NotFiniteLossWarning, match="epoch 1, step 5"):
        history = train(model, loader, loss="mse", accumulate=5, jit=jit)
    assert history.stopped == "diverged"
    for p, x in zip(model.parameters(), before):
        np.testing.assert_array_equal(np.asarray(p.data), x)
