"""find_lr: which learning rate to use, by training for some steps with rates that grow from step to step.

Smith, Cyclical learning rates for training neural networks, 2017.
"""

from collections.abc import Callable
from math import inf, isfinite, log
from typing import Any

import numpy as np

from adjoint.arrays.tensor import Tensor
from adjoint.engine import late
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, MissingExtraError
from adjoint.errors.given import describe, is_number, whole
from adjoint.errors.guard_warnings import guards
from adjoint.nn.module import Module
from adjoint.optim import LambdaLR, Optimizer
from adjoint.training.callbacks import Callback, Step
from adjoint.training.ingredients import optimizer_of, parameters_to_train
from adjoint.training.loop import Data, Rows, fit
from adjoint.training.objectives import Model
from adjoint.training.snapshots import Snapshot

_SMOOTHING = 0.9  # of the losses: the decay of their moving average
_TOO_HIGH = 4.0  # times the smallest loss: the search ends


class LearningRates:
    """The losses for growing learning rates; a notebook displays their plot.

    `rates` and `losses` have a number for each step, and `smoothed` is a moving average of the losses. The
    `suggestion` is the rate at which it falls fastest, None if the loss does not fall.
    """

    def __init__(self, rates: list[float], losses: list[float]):
        self.rates, self.losses = rates, losses
        self.smoothed = _smooth(losses)

    @property
    def suggestion(self) -> float | None:
        """The rate at which the loss falls fastest; None if it does not fall."""
        falls = np.array(self.smoothed[: int(np.argmin(self.smoothed)) + 1])
        if len(falls) < 3:
            return None
        slopes = np.gradient(falls, np.log(self.rates[: len(falls)]))
        return self.rates[int(np.argmin(slopes))]

    def plot(self, ax: Any = None) -> Any:
        """Draw the losses over the rates with matplotlib (the extra `plot`); return the axes."""
        return late.history_plots().plot_rates(self, ax)

    def __repr__(self) -> str:
        found = "none" if self.suggestion is None else f"{self.suggestion:.2g}"
        return (
            f"LearningRates({self.rates[0]:.2g} to {self.rates[-1]:.2g}, {len(self.rates)} steps; suggestion {found})"
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        text = {"text/plain": repr(self)}
        try:
            picture, width = late.history_plots().rates_as_png(self)
        except MissingExtraError:
            return text
        return {**text, "image/png": picture}, {"image/png": {"width": width}}


def find_lr(
    model: Model,
    data: Data,
    y: Rows = None,
    *,
    loss: str | Callable[..., Any],
    optimizer: str | Optimizer | type[Optimizer] = "adam",
    lowest: float = 1e-6,
    highest: float = 1.0,
    steps: int = 100,
    batch_size: int | None = None,
    **options: Any,
) -> LearningRates:
    """Train for some steps with learning rates that grow from `lowest` to `highest`; return the losses.

    The search ends early when the loss is much higher than its minimum. Afterwards the model and the optimizer are as
    before. The other arguments are those of `fit`; without a `seed`, the order of the samples is that of seed 0.

    >>> from adjoint import data, nn
    >>> model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 3, seed=1))
    >>> X, y = data.blobs(90, classes=3, seed=0)
    >>> found = find_lr(model, X, y, loss="cross_entropy", batch_size=30)
    >>> 1e-3 < found.suggestion < 1.0
    True
    """
    for name, given in (("lowest", lowest), ("highest", highest)):
        if not is_number(given) or not 0 < given < inf:
            raise ArgumentError(f"{name} must be a number above 0, not {describe(given)}")
    if not lowest < highest:
        raise ArgumentError(f"lowest must be below highest, but they are {lowest:g} and {highest:g}")
    steps = whole(steps, "steps", 5)
    parameters = parameters_to_train(model)
    rule = optimizer_of(optimizer, model, parameters, None)
    weights, gradients = Snapshot(model, parameters, compiled=False), [_gradient(p) for p in parameters]
    before = model.state_dict(transient=True) if isinstance(model, Module) else None  # with the state of dropout
    state = rule.state_dict()
    weights.keep()
    ratio = log(highest / lowest) / (steps - 1)
    record = _Record(steps)
    chosen: dict[str, Any] = {"seed": 0} | options
    try:
        for group in rule.param_groups:
            group["lr"], group.initial_lr = lowest, None
        schedule = LambdaLR(rule, lambda step: np.exp(ratio * step))
        with guards(not_finite_loss=False, input_scale=False):
            fit(
                model, data, y, loss=loss, optimizer=rule, schedule=schedule, batch_size=batch_size, epochs=steps,
                callbacks=record, progress=False, **chosen,
            )  # fmt: skip
    finally:
        weights.restore()
        if before is not None and isinstance(model, Module):
            model.load_state_dict(before)
        rule.load_state_dict(state)
        for p, g in zip(parameters, gradients):
            p.zero_grad()
            if g is not None:
                p.grad = g
    return LearningRates(record.rates, record.losses)


class _Record(Callback):
    """Records the steps, and ends training after the last one or when the loss is too high."""

    def __init__(self, steps: int):
        self.steps, self.rates, self.losses = steps, [], []

    def on_step(self, model: Any, step: Step) -> bool:
        if not isfinite(step.loss):
            return True
        self.rates.append(float(step.lr))
        self.losses.append(float(step.loss))
        smoothed = _smooth(self.losses)
        return len(self.rates) == self.steps or (len(smoothed) > 5 and smoothed[-1] > _TOO_HIGH * min(smoothed))


def _smooth(losses: list[float]) -> list[float]:
    """Return the moving average of losses, corrected for its start."""
    mean, found = 0.0, []
    for i, loss in enumerate(losses, 1):
        mean = _SMOOTHING * mean + (1 - _SMOOTHING) * loss
        found.append(mean / (1 - _SMOOTHING**i))
    return found


def _gradient(p: Value) -> Any:
    """Return a copy of the gradient, None for an array that has none."""
    if isinstance(p, Tensor):
        return None if p._grad is None else p.grad.copy()
    return p.grad
