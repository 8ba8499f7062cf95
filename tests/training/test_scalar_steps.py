"""Compiled training of scalar models: the histories and weights of the same training without `jit`."""

import subprocess
import sys

import numpy as np
import pytest
from closeness import require_close

from adjoint import Value, data, errors, evaluate, fit, guards, nn, optim
from adjoint.optim import OPTIMIZERS
from adjoint.training.eager_steps import EagerStep
from adjoint.training.objectives import Objective
from adjoint.training.scalar_steps import ScalarStep

X, SIDES = data.moons(18, noise=0.1, seed=1)
POINTS, CLASSES = data.blobs(14, classes=3, seed=2)
SIGNS = 2 * SIDES - 1


def network(outputs=1, last="linear"):
    return nn.MLP(2, [3, outputs], "tanh", last, seed=3)


def train(model, points=(X, SIGNS), jit=True, **options):
    return fit(model, points, **{"loss": "hinge", "epochs": 4, "progress": False} | options, jit=jit)


def numbers_of(model):
    return [x for p in model.parameters() for x in (p.data, p.grad)]


def assert_equal_with_and_without_jit(create, points=(X, SIGNS), **options):
    models = create(), create()
    eager, compiled = (train(model, points, jit, **options) for model, jit in zip(models, (False, True)))
    assert eager.columns == compiled.columns
    assert eager.stopped == compiled.stopped
    for name in set(eager.columns) - {"seconds"}:
        require_close(compiled[name], eager[name], name)
    require_close(numbers_of(models[1]), numbers_of(models[0]))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_takes_the_same_steps(name):
    assert_equal_with_and_without_jit(network, optimizer=name, lr=0.05, batch_size=8, metrics="accuracy")


@pytest.mark.parametrize(
    ("loss", "points", "create"),
    [
        ("mse", (X, SIDES), network),
        ("l1", (X, SIDES), network),
        ("huber", (X, SIDES), network),
        ("binary_cross_entropy", (X, SIDES), lambda: network(last="sigmoid")),
        ("binary_cross_entropy_with_logits", (X, SIDES), network),
        ("cross_entropy", (POINTS, CLASSES), lambda: network(3)),
        (lambda p, y: sum((a - b) ** 4 for a, b in zip(p, y)), (X, SIDES), network),
    ],
)
def test_every_loss_is_the_same(loss, points, create):
    assert_equal_with_and_without_jit(create, points, loss=loss, lr=0.05)


@pytest.mark.parametrize(
    "options",
    [
        {"ignore_index": 1},
        {"weight": [1.0, 2.0, 0.5], "label_smoothing": 0.2},
        {"weight": [1.0, 2.0, 0.5], "ignore_index": 0, "label_smoothing": 0.1},
        {"reduction": "sum"},
    ],
)
def test_the_options_of_cross_entropy_work_with_labels_that_are_not_known_yet(options):
    def loss(prediction, target):
        return nn.cross_entropy(prediction, target, **options)

    assert_equal_with_and_without_jit(lambda: network(3), (POINTS, CLASSES), loss=loss, epochs=2, batch_size=7)


@pytest.mark.parametrize(
    "options",
    [
        {"clip_norm": 0.05, "l2": 0.01},
        {"schedule": lambda done: 1 - done},
        {"validation": (X[:5], SIGNS[:5]), "metrics": ["accuracy", "mse"], "batch_size": 7},
        {"validation": (X[:5], SIGNS[:5]), "lr": 1.0, "epochs": 30, "early_stopping": 2},
        {"metrics": [lambda p, y: float(np.abs(p - y).max())]},
    ],
    ids=lambda options: next(iter(options)),
)
def test_the_other_options_of_fit_work(options):
    assert_equal_with_and_without_jit(network, **options)


def test_schedules_of_the_optimizer_change_the_rate_of_compiled_steps():
    def history(jit, schedule, **options):
        model = network()
        optimizer = optim.SGD(model, lr=0.1, momentum=0.5)
        return train(model, jit=jit, optimizer=optimizer, schedule=schedule(optimizer, **options), epochs=6)

    for schedule, options in ((optim.StepLR, {"step_size": 2}), (optim.ReduceLROnPlateau, {"patience": 0})):
        eager, compiled = (history(jit, schedule, **options) for jit in (False, True))
        assert compiled["lr"] == eager["lr"]
        require_close(compiled["loss"], eager["loss"])


def test_a_step_is_recorded_once_for_each_batch_size(capsys):
    def loss(prediction, target):
        print(len(prediction))  # happens while recording only
        return nn.hinge(prediction, target)

    with guards(compiled_results=False):  # the first steps run eagerly too otherwise
        train(network(), loss=loss, batch_size=8, epochs=5)
    assert capsys.readouterr().out.split() == ["8", "2"]


def test_the_next_training_of_such_a_model_records_nothing(capsys):
    def loss(prediction, target):
        print("recorded")
        return nn.hinge(prediction, target)

    models = [nn.MLP(2, [3, 1], "relu", "linear", seed=seed) for seed in range(2)]
    with guards(compiled_results=False):
        histories = [train(model, loss=loss, lr=lr) for model, lr in zip(models, (0.1, 0.2))]
    assert capsys.readouterr().out.split() == ["recorded"]
    again = train(nn.MLP(2, [3, 1], "relu", "linear", seed=1), jit=False, lr=0.2)
    require_close(histories[1]["loss"], again["loss"])


def test_a_loss_that_is_not_finite_ends_training_with_the_state_before_it():
    def weights(jit):
        model = network()
        warned = pytest.warns(errors.NotFiniteLossWarning, match="became inf in epoch 3, step 1: .* gave inf, at")
        with guards(diverging_loss=False), warned:
            history = train(model, (X, SIDES), jit, loss="mse", optimizer="sgd", lr=1e80, epochs=10)
        assert history.stopped == "diverged"
        return numbers_of(model)

    require_close(weights(True), weights(False))


def test_compiled_training_resumes_bit_for_bit(tmp_path):
    path, options = tmp_path / "moons.safetensors", {"batch_size": 7, "optimizer": "adam"}
    expected = train(network(), **options)
    train(network(), checkpoint=path, **options, epochs=2)
    resumed = train(network(), checkpoint=path, resume=True, **options)
    assert resumed["loss"] == expected["loss"]


def test_evaluate_compiles_scalar_models():
    model = network(3)
    options = {"loss": "cross_entropy", "metrics": "accuracy", "batch_size": 5}
    compiled = evaluate(model, (POINTS, CLASSES), **options, jit=True)
    require_close(compiled, evaluate(model, (POINTS, CLASSES), **options))


def test_the_history_says_how_long_compilation_took():
    history = train(network())
    assert 0 < history.compile_seconds <= history.seconds
    assert " compiling; best: " in history.summary()
    assert train(network(), jit=False).compile_seconds == 0
    assert "compiling" not in train(network(), jit=False).summary()


class Careless(nn.Module):
    """A model that needs to know a number."""

    def __init__(self):
        self.w = Value(1.0)

    def forward(self, x):
        return self.w * x[0] if float(x[1]) > 0 else self.w


def test_a_model_that_needs_to_know_a_number_is_an_error_that_leaves_it_as_it_was():
    model = Careless()
    with pytest.raises(errors.TraceError):
        train(model)
    assert numbers_of(model) == [1.0, 0.0]
    assert train(model, jit=False).epochs == 4


def test_scalar_models_are_compiled_without_jax():
    program = """
import sys
sys.modules["jax"] = None
from adjoint import data, fit, nn
X, y = data.moons(12)
history = fit(nn.MLP(2, [3, 1], seed=0), (X, 2 * y - 1), loss="hinge", epochs=3, jit=True, progress=False)
assert history.epochs == 3 and history.compile_seconds > 0
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", [EagerStep, ScalarStep])
def test_steps_take_lists_as_they_take_arrays(kind):
    models = network(), network()
    for model, (x, y) in zip(models, ((X, SIGNS), (X.tolist(), SIGNS.tolist()))):
        objective = Objective(model, "hinge", 0.01, model.parameters())
        step = kind(objective, [], optim.Adam(model.parameters(), lr=0.1), 1.0, True)
        for _ in range(3):
            step(x, y)
            step(x[:5], y[:5])
    assert numbers_of(models[0]) == numbers_of(models[1])
