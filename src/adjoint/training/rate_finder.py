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
from adjoint.nn.training_modes import restored_modes
from adjoint.optim import LambdaLR, Optimizer
from adjoint.training.callbacks import Callback, Step
from adjoint.training.ingredients import optimizer_of, parameters_to_train
from adjoint.training.loop import Data, Rows, fit
from adjoint.training.objectives import Model
from adjoint.training.snapshots import Snapshot

_DECAY = 0.9  # of the moving average of the losses that ends the search
_TOO_HIGH = 4.0  # times the smallest average: the search ends
_WIDTH = 25  # the losses are smoothed by a bell curve, whose standard deviation is one of this many parts of all steps


class LearningRates:
    """The losses for growing learning rates; a notebook displays their plot.

    `rates` and `losses` have a number for each step, and `smoothed` has the losses without most of their noise. The
    `suggestion` is the rate at which they fall fastest, None if the loss does not fall.

    >>> from adjoint import data, find_lr, nn
    >>> X, y = data.blobs(30, classes=3, seed=0)
    >>> found = find_lr(nn.Linear(2, 3, seed=0), X, y, loss="cross_entropy", lowest=1e-4, highest=0.1, steps=10)
    >>> round(found.rates[0], 6), round(found.rates[-1], 6), len(found.losses)
    (0.0001, 0.1, 10)
    """

    def __init__(self, rates: list[float], losses: list[float]):
        self.rates, self.losses = rates, losses
        self.smoothed = _smooth(losses)

    @property
    def suggestion(self) -> float | None:
        """The rate at which the loss falls fastest; None if it does not fall."""
        first = len(self.rates) // 10  # the first rates change little: what their losses show is noise
        smoothed = np.array(self.smoothed)
        least = np.minimum.accumulate(smoothed)
        # After a clear fall and a rise, the rates are too high, and another fall shows noise.
        has_risen = (least < 0.7 * smoothed[0]) & (smoothed - least > 0.25 * (smoothed[0] - least))
        end = int(np.argmax(has_risen)) if has_risen.any() else len(smoothed)
        if end - first < 3:
            return None
        slopes = np.gradient(smoothed, np.log(self.rates))[first:end]
        best = int(np.argmin(slopes))
        return self.rates[first + best] if slopes[best] < 0 else None

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

    >>> from adjoint import data, find_lr, nn
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
    weights, gradients = Snapshot(model, parameters), [_gradient(p) for p in parameters]
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
        with guards(not_finite_loss=False, diverging_loss=False, input_scale=False), restored_modes(model):
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
        self._mean, self._least = 0.0, inf

    def on_step(self, model: Any, step: Step) -> bool:
        if not isfinite(step.loss):
            return True
        self.rates.append(float(step.lr))
        self.losses.append(float(step.loss))
        count = len(self.losses)
        self._mean = _DECAY * self._mean + (1 - _DECAY) * self.losses[-1]
        mean = self._mean / (1 - _DECAY**count)
        self._least = min(self._least, mean)
        return count == self.steps or (count > 5 and mean > _TOO_HIGH * self._least)


def _smooth(losses: list[float]) -> list[float]:
    """Return weighted means of the losses around each step; losses that explode count as a high one."""
    limited = np.minimum(losses, _TOO_HIGH * max(losses[: 1 + len(losses) // 10], default=0.0))
    steps = np.arange(len(losses))
    weights = np.exp(-(((steps[:, None] - steps) * _WIDTH / max(1, len(losses))) ** 2) / 2)
    return (weights @ limited / weights.sum(1)).tolist()


def _gradient(p: Value) -> Any:
    """Return a copy of the gradient, None for an array that has none."""
    if isinstance(p, Tensor):
        return None if p._grad is None else p.grad.copy()
    return p.grad
