"""The arguments of `fit`: model, data, optimizer and schedule are checked and converted before the first step."""

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from adjoint.data.loading import DataLoader, arrays_of
from adjoint.engine.randomness import SharedSeed
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, MissingParameterWarning
from adjoint.errors.given import describe, is_number
from adjoint.errors.guard_warnings import is_on, warn
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.module import Module
from adjoint.optim import Optimizer, Schedule, make
from adjoint.optim.groups import parameters_of
from adjoint.training.history import History
from adjoint.training.measurements import LARGEST_IS_BEST, METRICS
from adjoint.training.stopping import EarlyStopping

_MANY = 1024  # the default batch size of evaluation: large enough to be fast, small enough for memory


def parameters_to_train(model: object) -> list[Value]:
    """Return the parameters of a model; raise if it is not a model or has none."""
    if not callable(model) or not hasattr(model, "parameters"):
        raise ArgumentError(f"a model must be callable and have parameters(), but {describe(model)} does not")
    parameters = parameters_of(model, "fit")
    if not parameters:
        raise ArgumentError(f"the model has no parameters to train: {describe(model)}")
    return parameters


def training_loader(data: object, batch_size: int | None, seed: SharedSeed) -> DataLoader:
    """Return the loader for training: all samples at once, or shuffled batches."""
    if batch_size is None and not isinstance(data, DataLoader):
        X, y = _pair(data)
        return DataLoader(X, y, batch_size=len(X))
    return _loader(data, batch_size, shuffle=True, seed=seed)


def evaluation_loader(data: object, batch_size: int | None) -> DataLoader:
    """Return the loader for evaluation: the samples in their order."""
    if isinstance(data, DataLoader):
        return data
    return _loader(data, max(_MANY, batch_size or 0))


def _loader(data: object, batch_size: Any, **order: Any) -> DataLoader:
    if isinstance(data, DataLoader):
        if batch_size is not None:
            raise ArgumentError(
                f"got batch_size={batch_size} and a DataLoader with batch_size={data.batch_size}; give only one of them"
            )
        return data
    return DataLoader(*_pair(data), batch_size=batch_size, **order)


def _pair(data: object) -> list[np.ndarray]:
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise ArgumentError(f"data must be inputs and targets, (X, y), or a DataLoader, not {describe(data)}")
    return arrays_of(tuple(data), "fit")


def optimizer_of(given: Any, model: object, parameters: list[Value], lr: float | None) -> Optimizer:
    """Return an optimizer, given by name or as an object; warn if it lacks parameters of the model."""
    if not isinstance(given, Optimizer):
        return make(given, parameters, **({} if lr is None else {"lr": lr}))
    if lr is not None:
        raise ArgumentError(f"got lr={lr} and an optimizer with lr={given.lr:g}; give only one of them")
    known = {id(p) for group in given.param_groups for p in group.parameters}
    missing = [name for name, p in names_of(model, parameters) if id(p) not in known]
    if len(missing) == len(parameters):
        raise ArgumentError("the optimizer has none of the parameters of the model; create it with model.parameters()")
    if missing and is_on("missing_parameters"):
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        warn(
            "missing_parameters",
            MissingParameterWarning,
            f"the optimizer lacks {', '.join(missing[:3])}{more} of the model, so they are not trained. Create it with "
            "model.parameters(), unless that is intended.",
        )
    return given


def names_of(model: object, parameters: list[Value]) -> list[tuple[str, Value]]:
    """Return the parameters with their names, also of a model that is not a Module."""
    if isinstance(model, Module):
        return list(model.named_parameters())
    return [(p.label or f"parameter {i}", p) for i, p in enumerate(parameters)]


class FractionLR(Schedule):
    """Multiplies the rate by a function of the fraction of steps done, from 0 to 1."""

    def __init__(self, optimizer: Optimizer, function: Callable[[float], float], total: int):
        self.function, self.total = function, total
        super().__init__(optimizer)

    def rate(self, t: int, base: float) -> float:
        factor = self.function(t / self.total)
        if not is_number(factor) or not isfinite(factor) or factor < 0:
            raise ArgumentError(
                f"schedule must return the factor of the rate, a number of at least 0; at {t / self.total:g} it "
                f"returned {describe(factor)}"
            )
        return base * factor


def schedule_of(given: Any, optimizer: Optimizer, total: int) -> Schedule | None:
    """Return a schedule, given as an object or as a function."""
    function: Any = given
    if given is None:
        return None
    if isinstance(given, Schedule):
        if given.optimizer is not optimizer:
            raise ArgumentError(f"{given!r} belongs to another optimizer; pass that optimizer to fit")
        return given
    if not callable(given) or isinstance(given, type):
        raise ArgumentError(
            "schedule must be a schedule of the optimizer passed to fit, or a function of the fraction done, from 0 "
            f"to 1, not {describe(given)}"
        )
    return FractionLR(optimizer, function, total)


def history_of(stopping: EarlyStopping | None, columns: list[str]) -> History:
    """Return an empty history that monitors a column to find the best epoch."""
    monitor = stopping.monitor if stopping else None
    if monitor is None:
        monitor = "validation_loss" if "validation_loss" in columns else "loss"
    if monitor not in columns:
        raise unknown_name_error("column to monitor", monitor, columns)
    mode = stopping.mode if stopping else None
    if mode is None:
        name = monitor.removeprefix("validation_")
        if name not in ("loss", *METRICS):
            raise ArgumentError(f"EarlyStopping needs mode='max' or mode='min' for {name}")
        mode = "max" if name in LARGEST_IS_BEST else "min"
    return History(monitor, largest_is_best=mode == "max")
