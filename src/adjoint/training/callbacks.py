"""Callbacks: code that runs after each step, after each epoch, and at the start and the end of training.

A callback is a function of the model and the history, which is called after each epoch, or any object with some of the
methods of `Callback`. Loggers are callbacks:

    class Wandb(Callback):
        def on_step(self, model, step):
            run.log({"loss": step.loss, "lr": step.lr}, step=step.number)

        def on_epoch(self, model, history):
            run.log(history.rows[-1])
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from adjoint.errors import ArgumentError
from adjoint.errors.given import describe
from adjoint.training.history import History


class Step(NamedTuple):
    """What a callback learns about a step: an update of the weights."""

    number: int  # counted from 1, over all epochs
    epoch: int  # counted from 1
    loss: float  # of the samples of this step, with the weights before the update
    lr: float  # the learning rate of the update


class Callback:
    """The methods of a callback. Each does nothing unless a subclass defines it.

    An object of another class may define some of them too. `on_start` is called before the first epoch, and also when
    training resumes, with the history so far. `on_end` is called when training ends, whatever the reason, so it is the
    place to close files. If `on_step` or `on_epoch` returns True, training ends.

    >>> from adjoint import Callback, data, fit, nn
    >>> class Print(Callback):
    ...     def on_step(self, model, step):
    ...         print(f"step {step.number} of epoch {step.epoch}: {step.loss:.2f}")
    >>> model = nn.Sequential(nn.Linear(2, 3, seed=0))
    >>> X, y = data.blobs(60, classes=3)
    >>> history = fit(model, (X, y), loss="cross_entropy", epochs=2, callbacks=Print(), progress=False)
    step 1 of epoch 1: 3.72
    step 2 of epoch 2: 3.71
    """

    def on_start(self, model: Any, history: History) -> None:
        """Run before the first step."""

    def on_step(self, model: Any, step: Step) -> Any:
        """Run after each update of the weights."""

    def on_epoch(self, model: Any, history: History) -> Any:
        """Run after each epoch: its row is `history.rows[-1]`."""

    def on_end(self, model: Any, history: History) -> None:
        """Run when training ends, also by an error; the model has its final state."""


_METHODS = ("on_start", "on_step", "on_epoch", "on_end")


class Callbacks:
    """All callbacks of a training."""

    def __init__(self, given: object):
        calls = [given] if _is_callback(given) else given
        if not isinstance(calls, Iterable) or not all(map(_is_callback, calls := list(calls))):
            raise ArgumentError(
                f"callbacks are functions of the model and the history, or objects with {', '.join(_METHODS[:-1])} or "
                f"{_METHODS[-1]}, not {describe(given)}"
            )
        for call in calls:
            if isinstance(call, type) and _has_methods(call):
                raise ArgumentError(f"callbacks got the class {call.__name__}; create an object of it")
        objects = [call if _has_methods(call) else _OfEpochs(call) for call in calls]
        self._starts, self._steps, self._epochs, self._ends = (
            [getattr(call, name) for call in objects if _defines(call, name)] for name in _METHODS
        )

    @property
    def has_steps(self) -> bool:
        """Whether a callback wants to know about each step, which costs reading its loss."""
        return bool(self._steps)

    def start(self, model: Any, history: History) -> None:
        for call in self._starts:
            call(model, history)

    def step(self, model: Any, step: Step) -> bool:
        """Return whether a callback ends training."""
        results = [call(model, step) for call in self._steps]  # all are called
        return any(result is True for result in results)

    def epoch(self, model: Any, history: History) -> bool:
        """Return whether a callback ends training."""
        results = [call(model, history) for call in self._epochs]  # all are called
        return any(result is True for result in results)

    def end(self, model: Any, history: History) -> None:
        for call in self._ends:
            call(model, history)


class _OfEpochs:
    """A function as a callback."""

    def __init__(self, function: Any):
        self.on_epoch = function


def _is_callback(given: object) -> bool:
    return callable(given) or _has_methods(given)


def _has_methods(given: object) -> bool:
    return any(callable(getattr(given, name, None)) for name in _METHODS)


def _defines(given: Any, name: str) -> bool:
    """Return whether an object has a method of its own, not the one of `Callback` that does nothing."""
    method = getattr(given, name, None)
    return callable(method) and getattr(method, "__func__", None) is not getattr(Callback, name)
