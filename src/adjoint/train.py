"""fit: a training loop, from data to a trained model and the history of its training.

    history = fit(model, (X, y), loss="cross_entropy", epochs=20, batch_size=64, metrics="accuracy")

The loop is below; what it is made of has files of its own: what is computed in a step (`objectives`, `steps`), what is
shown (`progress`), what is kept (`history`, `snapshots`, `resuming`), and what ends it (`stopping`, `divergence`).
"""

import os
from collections.abc import Callable, Iterable
from math import inf
from time import perf_counter
from typing import Any

from adjoint.data.loading import DataLoader
from adjoint.divergence import warn_of_divergence
from adjoint.errors import ArgumentError, MissingParameterWarning
from adjoint.floats import described, is_number, whole
from adjoint.history import History
from adjoint.mistakes import is_on, warn
from adjoint.nn.module import Module
from adjoint.objectives import METRICS, Metric, Objective, evaluating, metrics_of
from adjoint.optim import Optimizer, ReduceLROnPlateau, Schedule, make
from adjoint.optim.groups import parameters_of
from adjoint.progress import Display, display_of
from adjoint.snapshots import Snapshot
from adjoint.steps import CompiledPass, CompiledStep, EagerPass, EagerStep, NotFinite
from adjoint.stopping import EarlyStopping, Interruption, Patience, early_stopping_of
from adjoint.suggestions import unknown
from adjoint.value import Value

Data = DataLoader | tuple[Any, Any]


def fit(
    model: Any,
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
    seed: int = 0,
) -> History:
    """Train a model on data, and return the history of its training.

    `model` is a module, or anything that is called on inputs and has `parameters()`; if all of them are single
    numbers, as in `nn.MLP`, it is called on one sample at a time. `data` is `(X, y)` or a `DataLoader`. Without a
    `batch_size` a step takes all samples; with one they are shuffled, in an order that follows from `seed`.

    `loss` is a name, such as "mse", "hinge" or "cross_entropy", or a function of predictions and targets; `l2` adds so
    many times the sum of the squared parameters. `optimizer` is a name or an `Optimizer`, `schedule` one of
    `adjoint.optim`, stepped after each step, or a function of the part done, from 0 to 1, that the rate is multiplied
    by. `clip_norm` limits the length of the gradient. `metrics` are "accuracy", names of losses, or functions of
    predictions and targets as plain arrays.

    After each epoch the model is judged on the data for `validation`, and each of the `callbacks` is called with the
    model and the history; one that returns True ends training. So does `early_stopping`, a number of epochs without
    improvement; Ctrl-C; and a loss that is not finite. Where training ends before its time, the model has the state
    that it had after its best epoch. `history.stopped` says why it ended.

    `progress` is shown as a bar in terminals and notebooks and as lines elsewhere, and not at all if it is False. With
    `jit` a step is compiled as one program, whose arrays stay on its device.

    >>> from adjoint import data, nn
    >>> model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 3, seed=1))
    >>> X, y = data.blobs(90, classes=3)
    >>> history = fit(model, (X, y), loss="cross_entropy", lr=0.1, epochs=20, metrics="accuracy", progress=False)
    >>> history.epochs, history["accuracy"][-1] > 0.9
    (20, True)
    """
    epochs = whole(epochs, "epochs")
    parameters = _parameters(model)
    objective = Objective(model, loss, l2, parameters)
    loader = _loader(data, batch_size, seed)
    objective.require_targets(loader)
    objective.require_labels(loader)
    judged = metrics_of(metrics, objective.name, loader)
    if clip_norm is not None and not (is_number(clip_norm) and clip_norm > 0):
        raise ArgumentError(f"clip_norm must be a number above 0, not {described(clip_norm)}")
    if jit and objective.is_scalar:
        raise ArgumentError("jit compiles arrays, and the model is one of single numbers; fit model.to_arrays() instead")
    optimizer = _optimizer(optimizer, objective, lr)
    schedule = _schedule(schedule, optimizer, epochs * len(loader))
    is_guarded = is_on("not_finite_loss")
    step = (CompiledStep if jit else EagerStep)(objective, judged, optimizer, clip_norm, is_guarded)
    validating = None
    if validation is not None:
        validating = Validation(model, objective, judged, validation, batch_size, jit)
    stopping = early_stopping_of(early_stopping)
    columns = [*step.names, *(validating.names if validating else ())]
    history = _history(stopping, columns)
    best = Snapshot(model, parameters, jit)
    calls = _callbacks(callbacks)
    display = display_of(progress, epochs, len(loader), history.epochs)
    training = Training(
        model, loader, step, optimizer, schedule, validating, history, best, Patience(stopping, history), calls, display
    )
    with training_mode(model):
        training.run(epochs)
    return history


class Training:
    """A run of epochs."""

    def __init__(
        self,
        model: Any,
        loader: DataLoader,
        step: EagerStep | CompiledStep,
        optimizer: Optimizer,
        schedule: Schedule | None,
        validation: "Validation | None",
        history: History,
        best: Snapshot,
        patience: Patience,
        callbacks: list[Callable[[Any, History], Any]],
        display: Display,
    ):
        self.model, self.loader, self.step = model, loader, step
        self.optimizer, self.schedule, self.validation = optimizer, schedule, validation
        self.history, self.best, self.patience = history, best, patience
        self.callbacks, self.display = callbacks, display
        self.best_reached = inf

    def run(self, epochs: int) -> None:
        """Train until all epochs have ended, or something ends it before."""
        history, display = self.history, self.display
        with Interruption() as interruption:
            try:
                display.begin()
                while history.epochs < epochs and history.stopped == "finished":
                    self._epoch(interruption)
            except KeyboardInterrupt:
                history.stopped = "interrupted"
            except NotFinite as found:
                history.stopped = "diverged"
                warn_of_divergence(found, self.step.objective, history.epochs + 1, self.optimizer.lr)
            finally:
                display.close()
            if history.stopped != "finished":
                self.best.restore()
            display.end(history)

    def _epoch(self, interruption: Interruption) -> None:
        step, schedule, display, history = self.step, self.schedule, self.display, self.history
        is_stepped = schedule is not None and not isinstance(schedule, ReduceLROnPlateau)
        rate, epoch = self.optimizer.lr, history.epochs + 1
        step.reset()
        begun = perf_counter()
        due = begun + display.interval
        for x, y in self.loader:
            step(x, y)
            if is_stepped:
                schedule.step()
            if interruption.is_asked:
                raise KeyboardInterrupt
            now = perf_counter()
            if now >= due:
                display.show(epoch, step.steps, step.means())
                due = perf_counter() + display.interval
        row = step.means()
        if self.validation is not None:
            row |= self.validation()
        history.add({**row, "lr": rate, "seconds": perf_counter() - begun})
        self._judge(history.rows[-1])

    def _judge(self, row: dict[str, float]) -> None:
        """Look at what an epoch has reached: keep it if it is the best, and end training if it is time."""
        history, reached = self.history, row[self.history.monitor]
        if not self.best.is_kept or history.is_better(reached, self.best_reached):
            self.best.keep()
            self.best_reached = reached
        if isinstance(self.schedule, ReduceLROnPlateau):
            self.schedule.step(reached)
        self.patience.note(row)
        self.display.ended(row)
        if self.patience.is_over:
            history.stopped = "early stopping"
        if any([callback(self.model, history) is True for callback in self.callbacks]):
            history.stopped = "callback"


class Validation:
    """How good a model is on data that it is not trained on: after each epoch, as it is for evaluation."""

    def __init__(
        self, model: Any, objective: Objective, metrics: list[Metric], data: Any, batch_size: int | None, jit: bool
    ):
        self.model = model
        self.loader = data if isinstance(data, DataLoader) else _loader(data, batch_size, 0, shuffle=False)
        objective.require_targets(self.loader)
        objective.require_labels(self.loader)
        self.pass_ = (CompiledPass if jit else EagerPass)(objective, metrics)
        self.names = [f"validation_{name}" for name in self.pass_.names]

    def __call__(self) -> dict[str, float]:
        self.pass_.reset()
        with evaluating(self.model):
            for x, y in self.loader:
                self.pass_(x, y)
        return dict(zip(self.names, self.pass_.means().values()))
