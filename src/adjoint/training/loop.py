"""fit: the training loop.

    history = fit(model, (X, y), loss="cross_entropy", epochs=20, batch_size=64, metrics="accuracy")

The loop is below. Its parts are in other files: what a step computes (`objectives`, `eager_steps`), what is displayed
(`progress`), what is kept (`history`, `snapshots`, `resuming`), and what ends training (`stopping`, `divergence`).
"""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any, Never

from adjoint.data.samplers import seed_number
from adjoint.data.tables import column_names
from adjoint.engine.randomness import SharedSeed
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number, whole
from adjoint.errors.guard_warnings import is_on
from adjoint.errors.suggest import refuse_unknown
from adjoint.nn.training_modes import training_mode
from adjoint.optim import Optimizer, ReduceLROnPlateau, Schedule
from adjoint.training.batch_sources import Batch, BatchSource
from adjoint.training.callbacks import Callbacks, Step
from adjoint.training.eager_steps import EagerStep, NotFinite
from adjoint.training.history import History
from adjoint.training.ingredients import (
    Given,
    evaluation_source,
    history_of,
    is_pair,
    optimizer_of,
    pair_of,
    parameters_to_train,
    schedule_of,
    split_validation,
    training_source,
)
from adjoint.training.input_scale import warn_of_scale
from adjoint.training.measurements import metrics_of
from adjoint.training.objectives import Model, Objective
from adjoint.training.passes import Execution, require_full_batches
from adjoint.training.progress import Display, display_of
from adjoint.training.resuming import Keeper, updates_between
from adjoint.training.snapshots import Averaging, NoSnapshot, Snapshot
from adjoint.training.stopping import (
    EarlyStopping,
    Interruption,
    Patience,
    Plan,
    early_stopping_of,
    has_grown,
    length_of,
    plan_of,
)

if TYPE_CHECKING:
    from adjoint.compile.shard_rules import Shard
    from adjoint.training.array_steps import CompiledStep
    from adjoint.training.evaluation import Evaluation
    from adjoint.training.scalar_steps import ScalarStep

Data = Any  # (X, y), a DataLoader or a data set, also of PyTorch, or anything that yields batches
Rows = Any  # an array, nested lists, a DataFrame or a Series, with one row per sample


def fit(
    model: Model,
    data: Data,
    y: Rows = None,
    *,
    loss: str | Callable[..., Any],
    optimizer: str | Optimizer | type[Optimizer] = "adam",
    lr: float | None = None,
    epochs: int | None = None,
    steps: int | None = None,
    batch_size: int | None = None,
    validation: Data | float | None = None,
    metrics: Any = (),
    sample_weight: Rows | bool = None,
    class_weight: Any = None,
    l2: float = 0.0,
    schedule: Schedule | Callable[[float], float] | None = None,
    clip_norm: float | None = None,
    accumulate: int = 1,
    ema: float | None = None,
    early_stopping: int | EarlyStopping | None = None,
    callbacks: Any = (),
    progress: str | bool = "auto",
    jit: bool = False,
    precision: str = "float32",
    devices: object = None,
    shard: "Shard" = None,
    seed: SharedSeed = "shared",
    steps_per_epoch: int | None = None,
    checkpoint: str | os.PathLike | None = None,
    checkpoint_every: int | None = None,
    keep_best: bool = True,
    resume: bool = False,
    notes: Mapping[str, Any] | None = None,
    **words: Never,
) -> History:
    """Train a model on data, and return the history of the training.

    `model` is a module, or any object that is called on inputs and has `parameters()`. If all parameters are scalars,
    as in `nn.MLP`, it is called on one sample at a time. The data are inputs and targets, `fit(model, X, y)` or
    `fit(model, (X, y))`: arrays, lists, tensors of PyTorch or DataFrames. Several inputs are a tuple, for
    `model(x1, x2)`, or a dict, for `model(**x)`. Without a `batch_size`, each step uses all samples; with one, they are
    shuffled in an order determined by `seed`, or without one by `adjoint.manual_seed`.

    The data may also come in batches `(x, y)`: from a `DataLoader` of adjoint or PyTorch, a list, another iterable, or
    a function that makes a generator, which is called for each epoch, with its number if it has an argument. An
    iterator can be read only once, so it needs `epochs=1` or `steps_per_epoch`, the number of batches that count as an
    epoch.

    Training takes 10 epochs, or as many as `epochs` says. With `steps`, it ends after this number of updates of the
    weights instead, and the progress and the history count steps.

    `loss` is a name, such as "mse", "hinge" or "cross_entropy", or a function of predictions and targets, or a method
    of the model that gets the inputs and the targets, `loss=model.loss`; `l2` is the
    factor of the sum of the squared parameters, which is added to it. `optimizer` is a name or an `Optimizer`.
    `schedule` is one of `adjoint.optim`, which advances after each step, or a function that returns the factor of the
    learning rate, given the fraction of training that is done. `clip_norm` limits the gradient norm. `metrics` are
    names of `adjoint.metrics`, such as "accuracy" or "f1", names of losses, or functions of predictions and targets as
    plain arrays, which get all samples of an epoch at once and are named after the function. With
    `accumulate=4`, the gradients of four batches make one update, as if they were one batch. With `ema=0.999`, an
    exponential moving average of the weights with this decay is evaluated on the validation data, kept as the best
    state, and left in the model; the loss and the metrics of training are those of the weights themselves.

    `sample_weight` has one number per sample, and the loss is a weighted mean, sum(w * loss) / sum(w); batches of an
    iterable have the form `(x, y, weights)` then, and `sample_weight=True`. `class_weight` is a dict such as
    `{0: 1.0, 1: 5.0}`, one number per class, or "balanced". Weights apply to the training loss only.

    After each epoch, the model is evaluated on the `validation` data, and each of the `callbacks` is called with the
    model and the history; a callback that returns True ends training. A `Callback` object is also called after each
    step, and at the start and the end. `validation=0.2` splits off a fifth of the samples, chosen by `seed`. Training
    also ends after `early_stopping` epochs without improvement, on Ctrl-C, and if the loss is not finite or a thousand
    times that of the first epoch. If it ends early, the model gets the state of its best epoch. `history.stopped` says
    why training ended. A module is in evaluation mode afterwards, so that it predicts without dropout.

    `progress` is shown as a bar in terminals and notebooks and as lines elsewhere; False hides it. With `jit`, a step
    is compiled as one program: by XLA for array models, whose arrays stay on its device, and as a program of single
    numbers for scalar models. The first two steps on one device, of models of up to 100,000 parameters, also run
    without `jit`; a loss or a gradient that differs by a percent is a warning. With `precision="bfloat16"`, which needs
    `jit`, the products of the model compute in bfloat16, and the weights stay as they are; see `adjoint.precision`.
    "float16" adds a `LossScaler`. `devices` and `shard`, which need `jit`, are those of `adjoint.jit`: each batch is
    split over some devices, and with `shard="parameters"` the weights and the state of the optimizer too.

    `checkpoint` is a file that is written after an epoch, at most once per second, or with `checkpoint_every=100` after
    each 100 updates, also within an epoch, and in any case on Ctrl-C and at the end. `adjoint.load` returns the best
    model in it and the `notes`, a dict of numbers and text. With `keep_best=False`, the last state takes the place of
    the best one, which saves the memory of a copy. With `resume`, training continues from the checkpoint up to
    `epochs` or `steps`, bit for bit as if it had not stopped, if the data can be rewound.

    >>> from adjoint import data, fit, nn
    >>> model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 3, seed=1))
    >>> X, y = data.blobs(90, classes=3)
    >>> history = fit(model, X, y, loss="cross_entropy", lr=0.1, epochs=20, metrics="accuracy", progress=False)
    >>> history.epochs, history["accuracy"][-1] > 0.9
    (20, True)
    """
    refuse_unknown(words, fit)
    accumulate = whole(accumulate, "accumulate")
    epochs, steps = length_of(epochs, steps)
    if steps is not None and steps_per_epoch is None and hasattr(data, "__next__"):
        steps_per_epoch = steps * accumulate  # an iterator can be read only once
    parameters = parameters_to_train(model)
    data = pair_of(data, y, "fit")
    columns = column_names(data[0]) if is_pair(data) else None
    given = Given(data, batch_size, steps_per_epoch, sample_weight, class_weight, columns)
    number = seed_number(seed)
    given, held_out = split_validation(given, validation, number)
    source = training_source(given, number, epochs)
    plan = plan_of(source, epochs, steps, accumulate)

    execution = Execution(jit, precision, devices, shard)
    objective = Objective(model, loss, l2, parameters, source.is_weighted, execution.precision)
    execution.require_possible(objective)
    if jit:
        from adjoint.training.utilization import utilization_of

        plan = plan._replace(utilization=utilization_of(model, source, execution))
    objective.require_targets(source)
    objective.require_outputs(source)
    measured = metrics_of(metrics, objective.name, source)
    objective.require_predictions(measured)
    if clip_norm is not None and not (is_number(clip_norm) and clip_norm > 0):
        raise ArgumentError(f"clip_norm must be a number above 0, not {describe(clip_norm)}")
    execution.require_divisible(source, batches=inf if steps is None else steps * accumulate)
    optimizer = optimizer_of(optimizer, model, parameters, lr)
    schedule = schedule_of(schedule, optimizer, plan.updates)
    require_full_batches(optimizer, source, jit=jit, accumulate=accumulate > 1, clip_norm=clip_norm)
    step = execution.step_of(objective, measured, optimizer, clip_norm, accumulate)
    evaluation = None
    if held_out is not None:
        from adjoint.training.evaluation import Evaluation

        plain = Objective(model, loss, l2, parameters, precision=execution.precision)
        evaluation = Evaluation(plain, measured, evaluation_source(held_out, batch_size, plan.epochs), execution)
        execution.require_divisible(evaluation.source, "validation")

    columns = step.names + [f"validation_{name}" for name in step.names if evaluation]
    stopping = early_stopping_of(early_stopping)
    history = history_of(stopping, columns)
    copying = None if objective.is_scalar else execution.compile
    averaging = Averaging(ema, model, parameters, copying)
    keeper = Keeper(
        model,
        Snapshot(model, parameters, copying) if keep_best else NoSnapshot(),
        history,
        columns,
        parts={
            "optimizer": optimizer,
            "schedule": schedule,
            "ema": averaging.ema,
            "scaler": execution.scaler,
            "loader": source,
        },
        settings={
            "accumulate": accumulate,
            "ema": ema,
            "precision": execution.precision,
            "seed of the validation split": number if is_number(validation) else None,
        },
        path=checkpoint,
        every=updates_between(checkpoint_every, step.whole.metrics),
        notes=notes,
    )
    if keeper.processes.count > 1:
        from adjoint.training.joint_batches import require_same_steps

        require_same_steps(source, keeper.processes)
        if evaluation is not None:
            require_same_steps(evaluation.source, keeper.processes, "validation")
    calls = Callbacks(callbacks)
    if resume:
        keeper.resume()
    training = Training(
        plan=plan,
        step=step,
        source=source,
        optimizer=optimizer,
        schedule=schedule,
        evaluation=evaluation,
        history=history,
        keeper=keeper,
        patience=Patience(stopping, history),
        callbacks=calls,
        display=display_of(progress if not keeper.processes.index else False, plan, history.epochs, keeper.updates),
        averaging=averaging,
    )
    with training_mode(model):
        training.run()
    return history


class EndedByCallback(Exception):
    """A callback ended training after a step."""


@dataclass
class Training:
    """A run of epochs."""

    plan: Plan
    step: "EagerStep | ScalarStep | CompiledStep"
    source: BatchSource
    optimizer: Optimizer
    schedule: Schedule | None
    evaluation: "Evaluation | None"
    history: History
    keeper: Keeper
    patience: Patience
    callbacks: Callbacks
    display: Display
    averaging: Averaging

    def __post_init__(self) -> None:
        self.processes = self.keeper.processes
        self._ended = perf_counter()  # when the last epoch ended
        if self.plan.steps is not None:
            self.history.steps = self.keeper.updates

    def run(self) -> None:
        """Train for all epochs or steps, or until something ends training early."""
        history, display = self.history, self.display
        with Interruption() as interruption:
            try:
                self.callbacks.start(self.keeper.model, history)
                display.begin("compiling the first step …" if self.step.is_compiled else "")
                self._epochs(interruption)
                display.end(history)
            finally:
                display.close()
                if history.stopped != "finished":
                    self.keeper.best.restore()
                else:
                    self.averaging.finish()
                self.callbacks.end(self.keeper.model, history)

    def _epochs(self, interruption: Interruption) -> None:
        history = self.history
        self._stop_early()  # a checkpoint of training that had stopped early
        try:
            while not self._is_over() and history.stopped == "finished":
                self._end_epoch(self._epoch(interruption), interruption)
        except KeyboardInterrupt:
            history.stopped = "interrupted"
        except EndedByCallback:
            history.stopped = "callback"
        except NotFinite as found:
            from adjoint.training.divergence import warn_of_divergence

            history.stopped = "diverged"
            state, epoch = self._state_after(), history.epochs + 1
            warn_of_divergence(found, self.step.objective, self.source, epoch, self.optimizer.lr, state)

    def _state_after(self) -> str:
        """Return which weights the model has after a training that diverged."""
        return "the state of its best epoch" if self.keeper.best.is_kept else "the weights of this step"

    def _is_over(self) -> bool:
        return self.plan.is_over(self.history.epochs, self.keeper.updates)

    def _epoch(self, interruption: Interruption) -> dict[str, float]:
        """Train on all batches once; return the row of the history."""
        step, display, epoch = self.step, self.display, self.history.epochs + 1
        rate, due, is_known = self.optimizer.lr, perf_counter() + display.interval, self.source.steps is not None
        counts_steps = self.plan.steps is not None
        step.reset()
        if self.keeper.unfinished is not None:
            rate = self._continue_epoch(self.keeper.unfinished)
        for batch in self._batches():
            if step(*batch):
                self._updated(epoch)
                if counts_steps and self._is_over():
                    break
                if step.steps != self.source.steps:  # else the epoch has ended
                    is_due = self.keeper.is_due
                    is_asked = self._is_asked(interruption) if is_due or self.processes.count == 1 else False
                    if is_asked or is_due:
                        self._write_unfinished(rate)
                    if is_asked:
                        raise KeyboardInterrupt
            if perf_counter() >= due:
                done = self.keeper.updates if counts_steps else step.steps if is_known else 0
                display.show(epoch, done, self._means())
                due = perf_counter() + display.interval
        if step.finish():
            self._updated(epoch)
        row = step.results()
        if self.evaluation is not None:
            with self.averaging.weights():
                row |= {f"validation_{name}": x for name, x in self.evaluation(self.processes).items()}
        passes = [step, self.evaluation.pass_] if self.evaluation is not None else [step]
        self.history.compile_seconds = sum(done.compile_seconds for done in passes)
        # An epoch starts when the previous one ends, so that the total and the steps per second count the same time.
        begun, self._ended = self._ended, perf_counter()
        position = {"step": self.keeper.updates} if counts_steps else {}
        return {**position, **row, "lr": rate, "seconds": self._ended - begun}

    def _is_asked(self, interruption: Interruption) -> bool:
        """Return whether training is to end now. Several processes agree on it, where all of them are at one step."""
        return any(row[0] for row in self.processes.gather([interruption.is_asked]))

    def _means(self) -> dict[str, float]:
        """Return the numbers so far. One of several processes must not stop at a loss that the others have not read."""
        return self.step.means() if self.processes.count == 1 else self.step.unchecked_means()

    def _batches(self) -> Iterator[Batch]:
        """Yield the batches of the epoch; if training ended with the last batch of a pass, those of the next one."""
        yield from self._pass()
        if not self.step.steps:
            yield from self._pass()

    def _pass(self) -> Iterator[Batch]:
        """Return the batches of one pass over the data."""
        if self.processes.count == 1:
            return iter(self.source)
        from adjoint.training.joint_batches import taken_together

        return taken_together(self.source, self.processes)

    def _write_unfinished(self, rate: float) -> None:
        """Write a checkpoint within an epoch; the predictions that some metrics collect are not stored."""
        if not self.step.whole.metrics:
            seconds = perf_counter() - self._ended
            self.keeper.write({"step": self.step.state_dict(), "lr": rate, "seconds": seconds})

    def _continue_epoch(self, state: dict[str, Any]) -> float:
        """Continue the epoch of a checkpoint; return the learning rate at its start."""
        self.keeper.unfinished = None
        self.step.load_state_dict(state["step"])
        self._ended -= state["seconds"]
        return state["lr"]

    def _updated(self, epoch: int) -> None:
        """Call the callbacks after an update of the weights, and step the schedule."""
        self.keeper.updates += 1
        if self.plan.steps is not None:
            self.history.steps = self.keeper.updates
        self.averaging.update()
        if self.callbacks.has_steps:
            step = Step(self.keeper.updates, epoch, self.step.loss, self.optimizer.lr)
            if self.callbacks.step(self.keeper.model, step):
                raise EndedByCallback
        if self.schedule is not None and not isinstance(self.schedule, ReduceLROnPlateau):
            self.schedule.step()

    def _stop_early(self) -> None:
        if self.patience.is_over and not self._is_over():
            self.history.stopped = "early stopping"

    def _end_epoch(self, row: dict[str, float], interruption: Interruption) -> None:
        """Record an epoch: keep the best state, write the checkpoint, and decide whether to stop."""
        history = self.history
        history.add(row)
        is_divergent = is_on("diverging_loss") and has_grown(history)
        reached = row[history.monitor]
        if isinstance(self.schedule, ReduceLROnPlateau):
            self.schedule.step(reached)
        self.patience.note(row)
        with self.averaging.weights():
            self.keeper.note(reached)
        if history.epochs == 1:
            warn_of_scale(self.source, self.keeper.model, row["loss"])
        self.display.end_epoch(history.rows[-1])
        self._stop_early()
        if is_divergent:
            from adjoint.training.divergence import warn_of_growth

            history.stopped = "diverged"
            warn_of_growth(history, self.step.objective, self.source, self.optimizer.lr, self._state_after())
        if self.callbacks.epoch(self.keeper.model, history):
            history.stopped = "callback"
        if self._is_asked(interruption) and not self._is_over():
            history.stopped = "interrupted"
        if not is_divergent:
            self.keeper.write_after_epoch(at_once=self._is_over() or history.stopped != "finished")
