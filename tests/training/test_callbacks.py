"""Callbacks of training: functions, and objects with methods for steps, epochs, the start and the end."""

import numpy as np
import pytest
from closeness import require_close

from adjoint import Callback, data, errors, fit, nn

X, Y = data.blobs(40, classes=3, noise=2.0, seed=1)


def train(callbacks, **options):
    model = nn.Sequential(nn.Linear(2, 3, seed=0))
    common = {"loss": "cross_entropy", "optimizer": "sgd", "lr": 0.1, "epochs": 2, "batch_size": 16, "progress": False}
    return model, fit(model, (X, Y), callbacks=callbacks, **common | options)


class Log:
    """Records its calls; it does not derive from `Callback`."""

    def __init__(self):
        self.calls, self.losses = [], []

    def on_start(self, model, history):
        self.calls.append(("start", history.epochs))

    def on_step(self, model, step):
        self.calls.append((step.number, step.epoch, round(step.lr, 6)))
        self.losses.append(step.loss)

    def on_epoch(self, model, history):
        self.calls.append(("epoch", history.epochs))

    def on_end(self, model, history):
        self.calls.append(("end", history.stopped))


@pytest.mark.parametrize("jit", [False, pytest.param(True, id="compiled")])
def test_an_object_is_called_at_the_start_after_each_step_and_epoch_and_at_the_end(jit):
    log = Log()
    _, history = train(log, jit=jit, schedule=lambda part: 1 - part)
    rates = [0.1, 0.083333, 0.066667, 0.05, 0.033333, 0.016667]
    steps = [(k + 1, k // 3 + 1, rate) for k, rate in enumerate(rates)]
    assert log.calls == [("start", 0), *steps[:3], ("epoch", 1), *steps[3:], ("epoch", 2), ("end", "finished")]
    for k, loss in enumerate(history["loss"]):
        require_close(np.average(log.losses[3 * k : 3 * k + 3], weights=[16, 16, 8]), loss)


def test_steps_of_scalar_networks_are_reported_in_both_engines():
    logs = [Log(), Log()]
    for log, jit in zip(logs, (False, True)):
        model = nn.MLP(2, [3, 3], "tanh", "linear", seed=3)
        fit(model, (X, Y), loss="cross_entropy", epochs=2, batch_size=20, callbacks=log, jit=jit, progress=False)
    assert logs[0].calls == logs[1].calls
    require_close(logs[0].losses, logs[1].losses)


def test_functions_and_objects_can_be_mixed_and_a_callback_needs_no_methods():
    log, rows = Log(), []
    train([log, lambda model, history: rows.append(history.rows[-1]["epoch"]), Callback()])
    assert rows == [1, 2]
    assert ("epoch", 2) in log.calls


def test_a_callback_ends_training_after_a_step():
    class Stop(Callback):
        def on_step(self, model, step):
            return step.number == 4

    log = Log()
    _, history = train([Stop(), log], epochs=5)
    assert history.stopped == "callback"
    assert history.epochs == 1
    assert log.calls[-2:] == [(4, 2, 0.1), ("end", "callback")]


def test_a_callback_is_told_of_the_end_after_an_error():
    class Broken(Log):
        def on_step(self, model, step):
            raise ZeroDivisionError

    log = Broken()
    with pytest.raises(ZeroDivisionError):
        train(log)
    assert log.calls == [("start", 0), ("end", "finished")]


def test_resumed_training_continues_the_numbers_of_steps(tmp_path):
    path, log = tmp_path / "a.safetensors", Log()
    train((), checkpoint=path)
    train(log, checkpoint=path, epochs=3, resume=True)
    assert [call[0] for call in log.calls] == ["start", 7, 8, 9, "epoch", "end"]
    assert log.calls[0] == ("start", 2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "callbacks are functions of the model and the history, or objects with on_start, on_step, on_epoch or"),
        ([object()], "not list [<object object at"),
        (Log, "callbacks got the class Log; create an object of it"),
        ([Log], "callbacks got the class Log; create an object of it"),
    ],
)
def test_what_is_not_a_callback_is_refused(given, message):
    with pytest.raises(errors.ArgumentError) as error:
        train(given)
    assert message in str(error.value)


def test_steps_are_counted_on_when_training_resumes_with_data_of_unknown_length(tmp_path):
    x, y = np.ones((4, 2)), np.zeros((4, 1))
    numbers = []

    class Record(Callback):
        def on_step(self, model, step):
            numbers.append(step.number)

    for epochs in (1, 2):
        fit(
            nn.Sequential(nn.Linear(2, 1, seed=0)), lambda: ((x, y) for _ in range(3)), loss="mse", epochs=epochs,
            callbacks=Record(), checkpoint=tmp_path / "run.npz", resume=epochs > 1, progress=False,
        )  # fmt: skip
    assert numbers == [1, 2, 3, 4, 5, 6]
