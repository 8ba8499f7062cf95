"""What ends training early: a metric that no longer improves, and Ctrl-C."""

import signal
import threading
from math import inf
from typing import Any

from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number, whole
from adjoint.training.history import History


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
