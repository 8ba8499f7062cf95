"""fit: the training loop.

    history = fit(model, (X, y), loss="cross_entropy", epochs=20, batch_size=64, metrics="accuracy")

The loop is below. Its parts are in other files: what a step computes (`objectives`, `steps`), what is displayed
(`progress`), what is kept (`history`, `snapshots`, `resuming`), and what ends training (`stopping`, `divergence`).
"""

import os
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

from adjoint.data.loading import DataLoader
from adjoint.engine.randomness import SharedSeed
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number, whole
from adjoint.errors.guard_warnings import is_on
from adjoint.nn.modes import training_mode
from adjoint.optim import Optimizer, ReduceLROnPlateau, Schedule
from adjoint.training.callbacks import Callbacks, Step
from adjoint.training.divergence import warn_of_divergence
from adjoint.training.evaluation import Evaluation
from adjoint.training.history import History
from adjoint.training.ingredients import (
    evaluation_loader,
    history_of,
    optimizer_of,
    parameters_to_train,
    schedule_of,
    training_loader,
)
from adjoint.training.measurements import metrics_of
from adjoint.training.objectives import Model, Objective
from adjoint.training.progress import Display, display_of
from adjoint.training.resuming import Keeper
from adjoint.training.scalar_steps import ScalarStep
from adjoint.training.snapshots import Snapshot
from adjoint.training.steps import CompiledStep, EagerStep, NotFinite
from adjoint.training.stopping import EarlyStopping, Interruption, Patience, early_stopping_of

Data = DataLoader | tuple[Any, Any]


def fit(
    model: Model,
    data: Data,
    *,
    loss: str | Callable[[Any, Any], Any],
    optimizer: str | Optimizer = "adam",
    lr: float | None = None,
    epochs: int = 10,
    batch_size: int | None = None,
    validation: Data | None = None,
    metrics: Any = (),
    l2: float = 0.0,
    schedule: Schedule | Callable[[float], float] | None = None,
    clip_norm: float | None = None,
    early_stopping: int | EarlyStopping | None = None,
    callbacks: Any = (),
    progress: str | bool = "auto",
    jit: bool = False,
    seed: SharedSeed = "shared",
    checkpoint: str | os.PathLike | None = None,
    resume: bool = False,
    notes: Mapping[str, Any] | None = None,
) -> History:
    """Train a model on data, and return the history of the training.

    `model` is a module, or any object that is called on inputs and has `parameters()`. If all parameters are scalars,
    as in `nn.MLP`, it is called on one sample at a time. `data` is `(X, y)` or a `DataLoader`. Without a
    `batch_size`, each step uses all samples; with one, they are shuffled in an order determined by `seed`, or without
    one by `adjoint.manual_seed`.

    `loss` is a name, such as "mse", "hinge" or "cross_entropy", or a function of predictions and targets; `l2` is the
    factor of the sum of the squared parameters, which is added to it. `optimizer` is a name or an `Optimizer`.
    `schedule` is one of `adjoint.optim`, which advances after each step, or a function that returns the factor of the
    learning rate, given the fraction of training that is done. `clip_norm` limits the gradient norm. `metrics` are
    names of `adjoint.metrics`, such as "accuracy" or "f1", names of losses, or functions of predictions and targets as
    plain arrays, which get all samples of an epoch at once and are named after the function.

    After each epoch, the model is evaluated on the `validation` data, and each of the `callbacks` is called with the
    model and the history; a callback that returns True ends training. A `Callback` object is also called after each
    step, and at the start and the end. Training also ends after `early_stopping` epochs
    without improvement, on Ctrl-C, and if the loss is not finite. If it ends early, the model gets the state of its
    best epoch. `history.stopped` says why training ended.

    `progress` is shown as a bar in terminals and notebooks and as lines elsewhere; False hides it. With `jit`, a step
    is compiled as one program: by XLA for array models, whose arrays stay on its device, and as a program of single
    numbers for scalar models.

    `checkpoint` is a file that is written after an epoch, at most once per second, and at the end. `adjoint.load`
    returns the best model in it and the `notes`, a dict of numbers and text. With `resume`, training continues from
    the checkpoint up to `epochs`, bit for bit as if it had not stopped.

    >>> from adjoint import data, nn
    >>> model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 3, seed=1))
    >>> X, y = data.blobs(90, classes=3)
    >>> history = fit(model, (X, y), loss="cross_entropy", lr=0.1, epochs=20, metrics="accuracy", progress=False)
    >>> history.epochs, history["accuracy"][-1] > 0.9
    (20, True)
    """
    epochs = whole(epochs, "epochs")
    parameters = parameters_to_train(model)
    objective = Objective(model, loss, l2, parameters)
    loader = training_loader(data, batch_size, seed)
    objective.require_targets(loader)
    objective.require_labels(loader)
    judged = metrics_of(metrics, objective.name, loader)
    if clip_norm is not None and not (is_number(clip_norm) and clip_norm > 0):
        raise ArgumentError(f"clip_norm must be a number above 0, not {describe(clip_norm)}")
    optimizer = optimizer_of(optimizer, model, parameters, lr)
    schedule = schedule_of(schedule, optimizer, epochs * len(loader))
    kind = EagerStep if not jit else ScalarStep if objective.is_scalar else CompiledStep
    step = kind(objective, judged, optimizer, clip_norm, is_on("not_finite_loss"))
    judge = None
    if validation is not None:
        judge = Evaluation(objective, judged, evaluation_loader(validation, batch_size), jit)
    columns = step.names + [f"validation_{name}" for name in step.names if judge]
    stopping = early_stopping_of(early_stopping)
    history = history_of(stopping, columns)
    best = Snapshot(model, parameters, compiled=jit and not objective.is_scalar)
    keeper = Keeper(checkpoint, model, best, optimizer, schedule, loader, history, dict(notes or {}))
    calls = Callbacks(callbacks)
    if resume:
        keeper.resume(columns)
    display = display_of(progress, epochs, len(loader), history.epochs)
    training = Training(step, loader, schedule, judge, keeper, Patience(stopping, history), calls, display)
    with training_mode(model):
        training.run(epochs)
    return history


class EndedByCallback(Exception):
    """A callback ended training after a step."""


class Training:
    """A run of epochs."""

    def __init__(
        self,
        step: EagerStep | ScalarStep | CompiledStep,
        loader: DataLoader,
        schedule: Schedule | None,
        judge: Evaluation | None,
        keeper: Keeper,
        patience: Patience,
        callbacks: Callbacks,
        display: Display,
    ):
        self.step, self.loader, self.schedule, self.judge = step, loader, schedule, judge
        self.keeper, self.patience, self.callbacks, self.display = keeper, patience, callbacks, display
        self.history, self.optimizer = keeper.history, keeper.optimizer
        self._ended = perf_counter()  # when the last epoch ended

    def run(self, epochs: int) -> None:
        """Train for all epochs, or until something ends training early."""
        history, display = self.history, self.display
        with Interruption() as interruption:
            try:
                self.callbacks.start(self.keeper.model, history)
                display.begin("compiling the first step …" if self.step.is_compiled else "")
                self._epochs(epochs, interruption)
                display.end(history)
            finally:
                display.close()
                if history.stopped != "finished":
                    self.keeper.best.restore()
                self.callbacks.end(self.keeper.model, history)

    def _epochs(self, epochs: int, interruption: Interruption) -> None:
        history = self.history
        try:
            while history.epochs < epochs and history.stopped == "finished":
                self._end_epoch(self._epoch(interruption), epochs)
        except KeyboardInterrupt:
            history.stopped = "interrupted"
        except EndedByCallback:
            history.stopped = "callback"
        except NotFinite as found:
            history.stopped = "diverged"
            warn_of_divergence(found, self.step.objective, self.loader, history.epochs + 1, self.optimizer.lr)

    def _epoch(self, interruption: Interruption) -> dict[str, float]:
        """Train on all batches once; return the row of the history."""
        step, display, epoch = self.step, self.display, self.history.epochs + 1
        schedule = None if isinstance(self.schedule, ReduceLROnPlateau) else self.schedule
        rate, due = self.optimizer.lr, perf_counter() + display.interval
        step.reset()
        for x, y in self.loader:
            step(x, y)
            if self.callbacks.has_steps:
                self._call_back(epoch)
            if schedule is not None:
                schedule.step()
            if interruption.is_asked:
                raise KeyboardInterrupt
            if perf_counter() >= due:
                display.show(epoch, step.steps, step.means())
                due = perf_counter() + display.interval
        row = step.results()
        if self.judge is not None:
            row |= {f"validation_{name}": x for name, x in self.judge().items()}
        passes = [step, self.judge.pass_] if self.judge is not None else [step]
        self.history.compile_seconds = sum(done.compile_seconds for done in passes)
        # An epoch starts when the previous one ends, so that the total and the steps per second count the same time.
        begun, self._ended = self._ended, perf_counter()
        return {**row, "lr": rate, "seconds": self._ended - begun}

    def _call_back(self, epoch: int) -> None:
        """Tell the callbacks about a step."""
        number = (epoch - 1) * len(self.loader) + self.step.steps
        if self.callbacks.step(self.keeper.model, Step(number, epoch, self.step.loss, self.optimizer.lr)):
            raise EndedByCallback

    def _end_epoch(self, row: dict[str, float], epochs: int) -> None:
        """Record an epoch: keep the best state, write the checkpoint, and decide whether to stop."""
        history = self.history
        history.add(row)
        reached = row[history.monitor]
        if isinstance(self.schedule, ReduceLROnPlateau):
            self.schedule.step(reached)
        self.patience.note(row)
        self.keeper.note(reached)
        self.display.end_epoch(history.rows[-1])
        if self.patience.is_over and history.epochs < epochs:
            history.stopped = "early stopping"
        if self.callbacks.epoch(self.keeper.model, history):
            history.stopped = "callback"
        self.keeper.write(at_once=history.epochs == epochs or history.stopped != "finished")
