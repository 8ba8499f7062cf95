"""When training ends: after its epochs or steps, or before, if a metric no longer improves or on Ctrl-C."""

import signal
import threading
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number, whole
from adjoint.files.joint_saves import Processes
from adjoint.training.batch_sources import BatchSource
from adjoint.training.history import History

if TYPE_CHECKING:
    from adjoint.training.utilization import Utilization


class Plan(NamedTuple):
    """The number of epochs of a training and of the batches in each, or the number of its steps."""

    epochs: float  # infinite if training counts steps, and the number of batches is not known
    batches: int | None  # per epoch; None if it is not known
    accumulate: int  # batches per update
    steps: int | None  # updates of the weights, if training counts them
    tokens: int  # targets of one batch, of all processes, if they are sequences of integers, else 0
    utilization: "Utilization | None" = None  # of a GPT on devices that are known

    @property
    def updates(self) -> int | None:
        """The number of updates of the weights; None if it is not known."""
        if self.steps is not None or self.batches is None:
            return self.steps
        return int(self.epochs) * -(-self.batches // self.accumulate)

    def is_over(self, epochs: int, updates: int) -> bool:
        """Return whether training is complete after so many epochs and updates."""
        return epochs >= self.epochs if self.steps is None else updates >= self.steps


def plan_of(source: BatchSource, epochs: int, steps: int | None, accumulate: int) -> Plan:
    """Return the plan of a training with these data."""
    y = source.sample().y
    tokens = len(y[0]) * (source.batch_size or len(y)) if y.ndim == 2 and y.dtype.kind in "iu" else 0
    tokens *= Processes().count
    if steps is None:
        return Plan(epochs, source.steps, accumulate, None, tokens)
    if source.steps is None:
        return Plan(inf, None, accumulate, steps, tokens)
    updates = -(-source.steps // accumulate)  # per epoch
    return Plan(-(-steps // updates), source.steps, accumulate, steps, tokens)


def length_of(epochs: int | None, steps: int | None) -> tuple[int, int | None]:
    """Return the number of epochs, 10 by default, and of steps; raise if both are given."""
    if epochs is not None and steps is not None:
        raise ArgumentError(f"got epochs={epochs} and steps={steps}; give only one of them")
    return whole(10 if epochs is None else epochs, "epochs"), None if steps is None else whole(steps, "steps")


class EarlyStopping:
    """Ends training after `patience` epochs without improvement; the model then gets its best state.

    By default it monitors the validation loss, or the training loss if there is no validation data. `monitor` names
    another column of the history, and `mode` says whether its "min" or "max" is best, for a custom metric. An
    improvement of less than `min_delta` does not count.

    >>> from adjoint import EarlyStopping
    >>> EarlyStopping(patience=3, monitor="validation_accuracy")
    EarlyStopping(patience=3, monitor='validation_accuracy')
    """

    def __init__(
        self, patience: int = 5, *, monitor: str | None = None, mode: str | None = None, min_delta: float = 0.0
    ):
        self.patience = whole(patience, "the patience of early stopping")
        if mode not in (None, "min", "max"):
            raise ArgumentError(f"mode must be 'min' or 'max', not {describe(mode)}")
        if not is_number(min_delta) or not 0 <= min_delta < inf:
            raise ArgumentError(f"min_delta must be a number of at least 0, not {describe(min_delta)}")
        self.monitor, self.mode, self.min_delta = monitor, mode, float(min_delta)

    def __repr__(self) -> str:
        monitor = f", monitor={self.monitor!r}" if self.monitor else ""
        return f"EarlyStopping(patience={self.patience}{monitor})"


def early_stopping_of(given: Any) -> EarlyStopping | None:
    """Return early stopping, given by its patience, as an object, or as None."""
    if given is None or given is False or isinstance(given, EarlyStopping):
        return given or None
    if given is True or not hasattr(given, "__index__"):
        raise ArgumentError(f"early_stopping must be a number of epochs or an EarlyStopping, not {describe(given)}")
    return EarlyStopping(given)


class Patience:
    """Counts the epochs since the last improvement."""

    def __init__(self, stopping: EarlyStopping | None, history: History):
        self.stopping, self.history = stopping, history
        self.best = -inf if history.largest_is_best else inf
        self.waited = 0
        for row in history.rows:  # of resumed training
            self.note(row)

    def note(self, row: dict[str, float]) -> None:
        """Record the row of an epoch."""
        if self.stopping is not None:
            reached = row[self.history.monitor]
            if self.history.is_better(reached, self.best, self.stopping.min_delta):
                self.best, self.waited = reached, 0
            else:
                self.waited += 1

    @property
    def is_over(self) -> bool:
        return self.stopping is not None and self.waited >= self.stopping.patience


class Interruption:
    """Lets the first Ctrl-C end training after the current step; the second ends it at once.

    A step that is interrupted would leave some weights updated and others not. SIGTERM does the same where a program
    has given it the handler of Ctrl-C. A signal that is ignored, as Ctrl-C in the background of a script, stays so.
    """

    def __init__(self):
        self.is_asked = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Interruption":
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) is signal.default_int_handler:
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *exception: Any) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: Any) -> None:
        if self.is_asked:
            raise KeyboardInterrupt
        self.is_asked = True


_GROWTH = 1000.0
_SMALL = 0.1  # a loss that begins near 0, such as one whose terms are switched on later, may grow


def has_grown(history: History) -> bool:
    """Return whether the loss of the last epoch is a thousand times that of the first, or of 0.1 if that is smaller.

    >>> history = History("loss")
    >>> for loss in (0.5, 20.0, 2e3):
    ...     history.add({"loss": loss})
    ...     has_grown(history)
    False
    False
    True
    """
    first, *_, last = history["loss"] * 2
    return last > _GROWTH * max(abs(first), _SMALL)
