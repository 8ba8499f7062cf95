"""fit: a training loop, from the data to a trained model and the history of its training.

history = fit(model, (X, y), loss="cross_entropy", epochs=20, batch_size=64, metrics="accuracy")
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any

from adjoint.data.loading import DataLoader
from adjoint.errors import ArgumentError
from adjoint.floats import described, whole
from adjoint.history import History
from adjoint.objectives import Objective, metrics_of
from adjoint.optim import Optimizer, Schedule, make
from adjoint.optim.groups import parameters_of
from adjoint.steps import CompiledStep, EagerStep


def fit(
    model: Any,
    data: Any,
    *,
    loss: str | Callable[[Any, Any], Any],
    optimizer: str | Optimizer = "adam",
    lr: float | None = None,
    epochs: int = 10,
    batch_size: int | None = None,
    validation: Any = None,
    metrics: Any = (),
    l2: float = 0.0,
    schedule: Schedule | Callable[[float], float] | None = None,
    clip_norm: float | None = None,
    callbacks: Any = (),
    jit: bool = False,
    seed: int = 0,
) -> History:
    """Train a model on data, and return the history of it.

    >>> from adjoint import data, nn
    >>> X, y = data.blobs(90, classes=3)
    >>> history = fit(nn.Sequential(nn.Linear(2, 3, seed=0)), (X, y), loss="cross_entropy", lr=0.1, metrics="accuracy")
    >>> history["loss"][-1] < history["loss"][0]
    True
    """
    parameters = _parameters(model)
    objective = Objective(model, loss, l2, parameters)
    epochs = whole(epochs, "epochs")
    loader = _loader(data, batch_size, seed)
    objective.require_targets(loader)
    judged = metrics_of(metrics, objective.name, loader)
    optimizer = _optimizer(optimizer, parameters, lr)
    step = (CompiledStep if jit else EagerStep)(objective, judged, optimizer, clip_norm, True)
    schedule = _schedule(schedule, optimizer, epochs * len(loader))
    history = History("loss")
    for _ in range(epochs):
        begun = perf_counter()
        step.reset()
        rate = optimizer.lr
        for x, y in loader:
            step(x, y)
            if schedule is not None:
                schedule.step()
        history.add({**step.means(), "lr": rate, "seconds": perf_counter() - begun})
    return history


class FractionLR(Schedule):
    """The rate times a function of the part of all steps that is done, from 0 to 1."""

    def __init__(self, optimizer: Optimizer, function: Callable[[float], float], total: int):
        self.function, self.total = function, total
        super().__init__(optimizer)

    def rate(self, t: int, base: float) -> float:
        return base * self.function(t / self.total)


def _parameters(model: Any) -> list:
    if not callable(model) or not hasattr(model, "parameters"):
        raise ArgumentError(f"a model is called on inputs and has parameters(); {described(model)} does not")
    parameters = parameters_of(model, "fit")
    if not parameters:
        raise ArgumentError(f"the model has no parameters to train: {described(model)}")
    return parameters


def _loader(data: Any, batch_size: int | None, seed: int) -> DataLoader:
    if isinstance(data, DataLoader):
        if batch_size is not None:
            raise ArgumentError("the DataLoader has its own batch_size; give it there")
        return data
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise ArgumentError(f"data is inputs and targets, (X, y), or a DataLoader, not {described(data)}")
    if batch_size is None:
        return DataLoader(*data, batch_size=max(1, len(data[0])))
    return DataLoader(*data, batch_size=batch_size, shuffle=True, seed=seed)


def _optimizer(given: str | Optimizer, parameters: list, lr: float | None) -> Optimizer:
    if isinstance(given, Optimizer):
        if lr is not None:
            raise ArgumentError(f"the optimiser that was given has its own rate, {given.lr:g}; set lr there")
        return given
    return make(given, parameters, **({} if lr is None else {"lr": lr}))


def _schedule(given: Any, optimizer: Optimizer, total: int) -> Schedule | None:
    if given is None or isinstance(given, Schedule):
        if given is not None and given.optimizer is not optimizer:
            raise ArgumentError(f"{given!r} belongs to another optimiser than the one that fit uses; give both to fit")
        return given
    if not callable(given):
        raise ArgumentError(
            f"schedule is one of adjoint.optim, or a function of the part done, from 0 to 1, not {described(given)}"
        )
    return FractionLR(optimizer, given, total)
