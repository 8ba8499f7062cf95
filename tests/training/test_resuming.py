"""Training that resumes from a checkpoint, bit for bit as if it had not stopped."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from closeness import require_close

from adjoint import data, errors, evaluate, fit, load, nn, optim, save

X, Y = data.blobs(50, classes=3, noise=2.0, seed=1)


def network() -> nn.Sequential:
    """Return a network with running statistics and a random state."""
    return nn.Sequential(
        nn.Linear(2, 8, seed=0), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2, seed=3), nn.Linear(8, 3, seed=1)
    )


def train(model, path=None, epochs=8, until=None, **options):
    """Train; after `until` epochs, stop without cleaning up, like a process that is killed."""
    common = {"loss": "cross_entropy", "lr": 0.05, "batch_size": 16, "metrics": "accuracy", "progress": False}

    def stop(model, history):
        if history.epochs == until:
            raise KilledError

    try:
        return fit(model, (X, Y), epochs=epochs, checkpoint=path, callbacks=[stop] if until else [], **common | options)
    except KilledError:
        return None


class KilledError(Exception):
    pass


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr("adjoint.training.resuming._SECONDS", 0.0)  # a file after each epoch
    return tmp_path / "training.safetensors"


def columns(history) -> dict:
    return {name: history[name] for name in history.columns if name != "seconds"}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"optimizer": "sgd", "schedule": lambda part: 1 - part},
        {"optimizer": "rmsprop", "validation": (X[:10], Y[:10]), "clip_norm": 1.0},
    ],
)
@pytest.mark.parametrize("until", [2, 6])
def test_resumed_training_is_the_same_bit_for_bit(path, options, until):
    whole, stopped, resumed = network(), network(), network()
    expected = train(whole, **options)
    train(stopped, path, until=until, **options)
    history = train(resumed, path, resume=True, **options)
    assert columns(history) == columns(expected)
    for name, x in whole.state_dict(transient=True).items():
        np.testing.assert_array_equal(resumed.state_dict(transient=True)[name], x, err_msg=name)


def test_compiled_training_resumes_bit_for_bit(path):
    def model():
        return nn.Sequential(nn.Linear(2, 8, seed=0), nn.Dropout(0.2, seed=3), nn.Linear(8, 3, seed=1))

    options = {"jit": True, "batch_size": 25, "epochs": 4}
    expected = train(model(), **options)
    train(model(), path, until=2, **options)
    assert columns(train(model(), path, resume=True, **options)) == columns(expected)


def test_scalar_training_resumes_bit_for_bit(path):
    def model():
        return nn.MLP(2, [4, 3], "tanh", "linear", seed=3)

    expected = train(model(), epochs=4)
    train(model(), path, epochs=4, until=2)
    assert columns(train(model(), path, epochs=4, resume=True)) == columns(expected)


def test_a_schedule_and_early_stopping_resume(path):
    def run(path=None, until=None, **options):
        model = network()
        optimizer = optim.Adam(model, lr=0.3)
        schedule = optim.ReduceLROnPlateau(optimizer, patience=1)
        options |= {"lr": None, "optimizer": optimizer, "schedule": schedule, "early_stopping": 6}
        return train(model, path, epochs=60, until=until, **options)

    expected = run()
    assert expected.stopped == "early stopping"
    run(path, until=expected.best["epoch"] + 2)
    history = run(path, resume=True)
    assert columns(history) == columns(expected)
    assert history.stopped == "early stopping"


@pytest.mark.parametrize("jit", [False, True])
def test_training_that_stopped_early_stays_stopped_when_it_resumes(path, jit):
    options = {"epochs": 60, "lr": 0.3, "early_stopping": 3, "jit": jit, "batch_size": 25}
    first, second, third = network(), network(), network()
    expected = train(first, path, **options)
    assert expected.stopped == "early stopping"
    for model in (second, third):
        history = train(model, path, resume=True, **options)
        assert history.rows == expected.rows
        assert history.stopped == "early stopping"
        for name, x in first.state_dict(transient=True).items():
            np.testing.assert_array_equal(model.state_dict(transient=True)[name], x, err_msg=name)


def test_training_that_stopped_early_continues_with_more_patience(path):
    expected = train(network(), path, epochs=60, lr=0.3, early_stopping=3)
    history = train(network(), path, epochs=expected.epochs + 2, lr=0.3, early_stopping=60, resume=True)
    assert history.epochs == expected.epochs + 2


def test_the_checkpoint_contains_the_best_model(path):
    model = network()
    history = train(model, path, epochs=30, lr=0.5, validation=(X[:20], Y[:20]))
    assert history.best["epoch"] < 30
    best, _ = load(path)
    reached = evaluate(best, (X[:20], Y[:20]), loss="cross_entropy")["loss"]
    require_close(reached, history.best["validation_loss"])
    last = evaluate(model, (X[:20], Y[:20]), loss="cross_entropy")["loss"]
    require_close(last, history["validation_loss"][-1])


def test_resuming_finished_training_only_loads_it(path):
    expected = train(network(), path, epochs=3)
    model = network()
    history = train(model, path, epochs=3, resume=True)
    assert history.rows == expected.rows
    assert train(network(), path, epochs=5, resume=True).epochs == 5


def test_the_checkpoint_is_not_written_after_every_short_epoch(tmp_path):
    path = tmp_path / "training.safetensors"
    seen = []

    def watch(model, history):
        seen.append(path.stat().st_mtime_ns if path.exists() else 0)

    fit(network(), (X, Y), loss="cross_entropy", epochs=20, checkpoint=path, callbacks=watch, progress=False)
    assert len(set(seen)) <= 4
    _, extra = load(path)
    assert len(extra["training"]["rows"]) == 20


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"optimizer": "sgd"}, "was trained with Adam, but the optimizer is SGD; use the same one"),
        ({"batch_size": 10}, "was trained with 4 steps per epoch, but the data have 5"),
        ({"schedule": lambda part: 1.0}, "was trained with no schedule; use the same"),
        ({"metrics": ()}, "has the columns loss, accuracy, but this training has loss; use the same metrics"),
    ],
)
def test_a_checkpoint_of_another_training_is_refused_and_nothing_is_changed(path, change, message):
    train(network(), path, epochs=2)
    model = network()
    before = model.state_dict(transient=True)
    with pytest.raises(errors.StateError) as error:
        train(model, path, resume=True, **change)
    assert message in str(error.value)
    for name, x in model.state_dict(transient=True).items():
        np.testing.assert_array_equal(x, before[name])


def test_a_file_without_training_and_a_model_that_cannot_be_saved_are_refused(path):
    model = network()
    save(path, model)
    with pytest.raises(errors.StateError, match="has a model but no state of training"):
        train(model, path, resume=True)
    with pytest.raises(errors.FileError, match="the file does not exist"):
        train(model, path.with_name("other"), resume=True)

    class Own:
        def __init__(self):
            self.inner = nn.Linear(2, 3, seed=0)
            self.parameters = self.inner.parameters

        def __call__(self, x):
            return self.inner(x)

    with pytest.raises(errors.ArgumentError, match=r"a checkpoint needs a model of adjoint\.nn, not"):
        train(Own(), path)


PROGRAM = """
import json, sys
import adjoint.training.resuming
from tests_of_resuming import network, train
adjoint.training.resuming._SECONDS = 0.0
history = train(network(), sys.argv[1], epochs=int(sys.argv[2]), resume=sys.argv[3] == "resume")
print(json.dumps(history["loss"]))
"""


@pytest.mark.full
def test_a_killed_process_resumes_with_the_losses_of_an_uninterrupted_one(path, tmp_path):
    (tmp_path / "tests_of_resuming.py").write_text(Path(__file__).read_text())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}

    def start(file, resume="", epochs=40):
        program = [sys.executable, "-c", PROGRAM, str(file), str(epochs), resume]
        return subprocess.Popen(program, stdout=subprocess.PIPE, text=True, env=environment)

    whole = start(tmp_path / "whole.safetensors")
    killed = start(path)
    while not path.exists():
        assert killed.poll() is None
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert len(load(path)[1]["training"]["rows"]) < 40
    resumed = start(path, "resume").communicate()[0]
    assert json.loads(resumed) == json.loads(whole.communicate()[0])


@pytest.mark.parametrize("name", ["training", "model", "path", "parts", "max_size"])
def test_notes_cannot_have_the_names_of_what_a_checkpoint_needs(path, name):
    with pytest.raises(errors.ArgumentError, match=f"notes: the name '{name}' is reserved for .*; use another"):
        train(network(), path, notes={name: 2})
    assert not path.exists()


@pytest.mark.parametrize(("count", "expected"), [(1, 2), (2, 4)])
def test_several_processes_write_after_each_epoch_since_their_clocks_differ(path, monkeypatch, count, expected):
    written, others = [], SimpleNamespace(count=count, index=0, gather=lambda row: [row])
    monkeypatch.setattr("adjoint.training.resuming._SECONDS", 1e9)
    monkeypatch.setattr("adjoint.training.resuming.Processes", lambda: others)
    monkeypatch.setattr("adjoint.files.save", lambda *_, **extra: written.append(extra))
    train(network(), path, epochs=4)
    assert len(written) == expected  # at least after the first and after the last epoch


def test_training_that_diverges_leaves_the_checkpoint_before(path):
    model, points = nn.Linear(1, 1, seed=0), np.linspace(-1, 1, 8).reshape(8, 1)
    with pytest.warns(errors.DivergingLossWarning):
        history = fit(
            model, (points, points), loss="mse", optimizer="sgd", lr=30.0, epochs=9, checkpoint=path, progress=False
        )
    _, extra = load(path)
    assert history.stopped == "diverged"
    assert len(extra["training"]["rows"]) == history.epochs - 1
