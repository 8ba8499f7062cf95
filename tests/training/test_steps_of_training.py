"""Training by a number of steps, with a loss of the model, and checkpoints within an epoch."""

import os
import signal

import numpy as np
import pytest

from adjoint import errors, evaluate, fit, load, nn

RNG = np.random.default_rng(0)
TOKENS = RNG.integers(0, 8, (12, 4, 5))  # batches of four sequences


class Guesser(nn.Module):
    """Predicts the next of eight tokens from the current one."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(8, 8, seed=0)
        self.drop = nn.Dropout(0.2, seed=1)

    def forward(self, x):
        return self.drop(self.table(x))

    def loss(self, x, y):
        return nn.cross_entropy(self(x).reshape(-1, 8), y.reshape(-1))


def batches(epoch):
    """Yield the batches of an epoch, which has four."""
    for i in range(4 * (epoch - 1), 4 * epoch):
        block = TOKENS[i % len(TOKENS)]
        yield block[:, :-1], block[:, 1:]


OPTIONS = {"lr": 0.05, "progress": False, "steps_per_epoch": 4}


def train(model=None, **options):
    model = model or Guesser()
    return model, fit(model, batches, loss=model.loss, **OPTIONS | options)


def columns(history) -> list[dict]:
    return [{name: x for name, x in row.items() if name != "seconds"} for row in history.rows]


def test_a_loss_of_the_model_gets_inputs_and_targets():
    ours, history = train(steps=8)
    theirs = Guesser()

    def flat(prediction, y):
        return nn.cross_entropy(prediction.reshape(-1, 8), y.reshape(-1))

    expected = fit(theirs, batches, loss=flat, epochs=2, **OPTIONS)
    assert history["loss"] == expected["loss"]
    np.testing.assert_array_equal(ours.table.weight.numpy(), theirs.table.weight.numpy())
    block = TOKENS[0]
    found = evaluate(ours, [(block[:, :-1], block[:, 1:])], loss=ours.loss)
    assert found == evaluate(theirs, [(block[:, :-1], block[:, 1:])], loss=flat)


@pytest.mark.parametrize("jit", [False, True])
def test_training_ends_after_a_number_of_steps(jit):
    _, history = train(steps=10, jit=jit)
    assert history["step"] == [4, 8, 10]
    assert history.steps == 10
    assert history.summary().startswith("finished after 10 steps in ")
    _, whole = train(epochs=3, jit=jit)
    assert history["loss"][:2] == whole["loss"][:2]


def test_steps_count_updates_of_accumulated_gradients():
    _, history = train(steps=5, accumulate=2)
    assert history["step"] == [2, 4, 5]


def test_an_iterator_needs_no_steps_per_epoch_if_steps_are_counted():
    model = Guesser()
    history = fit(model, batches(1), loss=model.loss, steps=3, progress=False)
    assert history["step"] == [3]
    with pytest.raises(errors.DataError, match="exhausted"):
        fit(model, batches(1), loss=model.loss, steps=9, progress=False)


class KilledError(Exception):
    pass


@pytest.mark.parametrize(
    ("killed", "options"), [(3, {}), (7, {"jit": True}), (3, {"accumulate": 2}), (4, {"accumulate": 2, "jit": True})]
)
def test_training_killed_within_an_epoch_resumes_bit_for_bit(tmp_path, options, killed):
    options = options | {"steps": 10, "checkpoint": tmp_path / "run.safetensors", "checkpoint_every": 1}

    class Kill:
        def on_step(self, model, step):
            if step.number == killed:  # before the checkpoint of this step
                raise KilledError

    whole, expected = train(**options)
    with pytest.raises(KilledError):
        train(callbacks=Kill(), **options)
    saved = load(options["checkpoint"], Guesser())[1]["training"]
    assert saved["updates"] == killed - 1
    assert (saved["unfinished"] is None) == ((killed - 1) % (4 // options.get("accumulate", 1)) == 0)
    model, history = train(resume=True, **options)
    assert columns(history) == columns(expected)
    np.testing.assert_array_equal(model.table.weight.numpy(), whole.table.weight.numpy())


@pytest.mark.parametrize("steps_per_epoch", [4, None])
@pytest.mark.parametrize("steps", [8, 10])
def test_finished_training_goes_on_with_more_steps(tmp_path, steps, steps_per_epoch):
    options = {"checkpoint": tmp_path / "run.safetensors", "steps_per_epoch": steps_per_epoch}
    train(steps=steps, **options)
    model, history = train(steps=16, resume=True, **options)
    whole, expected = train(steps=16, steps_per_epoch=steps_per_epoch)
    np.testing.assert_array_equal(model.table.weight.numpy(), whole.table.weight.numpy())
    assert history["step"] == (expected["step"] if steps == 8 else [4, 8, 10, 12, 16])


@pytest.mark.parametrize("step", [1, 6])
def test_ctrl_c_saves_the_step(tmp_path, step):
    class Press:
        def on_step(self, model, at):
            if at.number == step:
                os.kill(os.getpid(), signal.SIGINT)

    path = tmp_path / "run.safetensors"
    _, interrupted = train(steps=8, checkpoint=path, callbacks=Press())
    assert (interrupted.stopped, interrupted.steps) == ("interrupted", step)
    assert load(path, Guesser())[1]["training"]["updates"] == step
    _, history = train(steps=8, checkpoint=path, resume=True)
    assert columns(history) == columns(train(steps=8)[1])


def test_the_last_state_can_take_the_place_of_the_best_one(tmp_path):
    path = tmp_path / "run.safetensors"
    model, history = train(steps=8, checkpoint=path, keep_best=False, lr=20.0)
    assert history.best["step"] == 4
    assert load(path, Guesser())[1]["training"]["last"] is None
    np.testing.assert_array_equal(load(path, Guesser())[0].table.weight.numpy(), model.table.weight.numpy())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 2, "steps": 3}, "got epochs=2 and steps=3; give only one of them"),
        ({"steps": 0}, "steps must be an integer of at least 1"),
        ({"devices": 2}, "devices=2 needs jit=True"),
        ({"checkpoint_every": 0}, "checkpoint_every must be an integer of at least 1"),
        ({"metrics": "accuracy"}, "the metric 'accuracy' needs predictions, which loss=model.loss does not return"),
        ({"class_weight": {0: 2.0}}, "loss=model.loss cannot weight samples"),
    ],
)
def test_arguments_that_exclude_each_other_raise(options, message):
    with pytest.raises(errors.ArgumentError, match=message):
        train(**options)


def test_checkpoints_within_an_epoch_exclude_metrics_of_all_samples(tmp_path):
    def spread(prediction, y):
        return float(np.std(prediction))

    with pytest.raises(errors.ArgumentError, match="checkpoint_every cannot be used with the metric 'spread'"):
        fit(
            Guesser(), batches, loss=lambda p, y: p.mean(), metrics=spread, checkpoint=tmp_path / "a.safetensors",
            checkpoint_every=2, **OPTIONS,
        )  # fmt: skip


def test_progress_counts_steps_and_tokens(capsys):
    train(steps=10, progress="plain")
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("  loss")[0] for line in lines[:-1]] == ["step  4/10", "step  8/10", "step 10/10"]
    assert all("tokens/s" in line for line in lines[1:-1])
    assert lines[-1].startswith("finished after 10 steps in")
