"""One step of training: forward, backward and update, run by Python or compiled by XLA. `scalar_steps.py` has the
compiled steps of models with scalar parameters.

A step adds up the loss and the metrics, weighted by the number of samples; `means()` divides, and `results()` adds the
metrics of all samples that are not means. The metrics use the outputs of the step. A compiled step adds on its device,
so that nothing is transferred until `means()` is called, unless a metric needs the predictions.
"""

from math import isfinite
from typing import Any

import numpy as np

from adjoint.arrays.backends import backend_of
from adjoint.engine.modes import no_grad
from adjoint.engine.value import Value
from adjoint.optim import Optimizer, clip_grad_norm
from adjoint.training.compiling import compile_shared
from adjoint.training.measurements import AllSamples, Metric
from adjoint.training.objectives import Objective, plain
from adjoint.training.stopwatch import Stopwatch
from adjoint.training.weighting import normalize
from adjoint.transforms.trees import tree_leaves


class NotFinite(Exception):
    """The loss of a step is not finite; the weights are still those that it was computed from."""

    def __init__(self, loss: float, step: int, batch: tuple | None = None):
        super().__init__(loss, step)
        self.loss, self.step = loss, step
        self.batch = batch  # the arguments of the step, if they are still known


class EagerPass:
    """Computes the loss and the metrics of batches, without compiling."""

    is_compiled = False
    compile_seconds = 0.0  # how long compilation has taken so far, with the first run of each program

    def __init__(self, objective: Objective, metrics: list[Metric]):
        self.objective, self.metrics = objective, metrics
        self.names = ["loss", *(metric.name for metric in metrics)]
        self.averaged = [metric for metric in metrics if metric.is_mean]
        self.whole = AllSamples(metrics)
        self.reset()

    def reset(self) -> None:
        """Start an epoch."""
        self.steps, self.samples, self.total = 0, 0, 0.0  # batches, their samples, and the sum of the weights
        self.loss = 0.0  # of the last step
        self.sums = [0.0] * (1 + len(self.averaged))
        self.whole.reset()

    def __call__(self, x: Any, y: Any, weight: Any = None) -> bool:
        """Run a batch; return whether it has updated the weights."""
        share, total = shares_of(y, weight)
        with no_grad():
            loss, prediction = self.objective(x, y, share)
        self.add(float(loss), prediction, y, total)
        return False

    def add(self, loss: float, prediction: Any, y: Any, total: float) -> None:
        """Add the numbers of a batch: the loss counts by the sum of the weights, a metric by the number of samples."""
        count = len(y)
        self.loss = loss
        self.steps += 1
        self.samples += count
        self.total += total
        self.sums[0] += loss * total
        if self.metrics:
            prediction = plain(prediction)
            for i, metric in enumerate(self.averaged, 1):
                self.sums[i] += float(metric.function(prediction, y)) * count
            self.whole.add(prediction, y)

    def means(self) -> dict[str, float]:
        """Return the mean of each number over the samples so far, without the metrics that are not means."""
        names = ("loss", *(metric.name for metric in self.averaged))
        found = {name: total / max(1, self.samples) for name, total in zip(names, self.sums)}
        return {**found, "loss": self.sums[0] / (self.total or 1)}

    def results(self) -> dict[str, float]:
        """Return the loss and all metrics of the samples so far."""
        found = self.means() | self.whole.results()
        return {name: found[name] for name in self.names}


class EagerStep(EagerPass):
    """A training step that is not compiled."""

    def __init__(
        self,
        objective: Objective,
        metrics: list[Metric],
        optimizer: Optimizer,
        clip_norm: float | None,
        is_guarded: bool,
    ):
        super().__init__(objective, metrics)
        self.optimizer, self.clip_norm, self.is_guarded = optimizer, clip_norm, is_guarded

    def __call__(self, x: Any, y: Any, weight: Any = None) -> bool:
        """Take a step; return whether it has updated the weights."""
        loss, _ = self.forward(x, y, weight)
        self.optimizer.zero_grad()
        loss.backward(retain_graph=False)
        self.update()
        return True

    def forward(self, x: Any, y: Any, weight: Any) -> tuple[Any, float]:
        """Return the loss of a batch, and the sum of the weights of its samples."""
        share, total = shares_of(y, weight)
        loss, prediction = self.objective(x, y, share)
        number = float(loss)
        if self.is_guarded and not isfinite(number):
            raise NotFinite(number, self.steps + 1, (x, y, share))
        self.add(number, prediction, y, total)
        return loss, total

    def update(self) -> None:
        """Clip the gradients, and update the parameters."""
        if self.clip_norm is not None:
            clip_grad_norm(self.objective.parameters, self.clip_norm)
        self.optimizer.step()

    def finish(self) -> bool:
        """Complete the epoch; return whether that has updated the weights."""
        return False


def shares_of(y: Any, weight: Any) -> tuple[Any, float]:
    """Return the weights of samples divided by their sum, or None if there are none, and the sum."""
    if weight is None:
        return None, len(y)
    share, total = normalize(weight)
    return share, float(total)


class CompiledPass:
    """Computes the loss and the metrics of batches, compiled."""

    is_compiled = True

    def __init__(self, objective: Objective, metrics: list[Metric]):
        self.objective, self.metrics = objective, metrics
        self.names = ["loss", *(metric.name for metric in metrics)]
        self.ours = [metric for metric in metrics if metric.is_traceable]
        self.others = [metric for metric in metrics if metric.is_mean and not metric.is_traceable]
        self.whole = AllSamples(metrics)
        self.needs_predictions = bool(self.others or self.whole.metrics)
        self.sums: Any = Value(np.zeros(_LOSS + 1 + len(self.ours)))
        self.run = self._compile()
        self.stopwatch = Stopwatch()
        self.reset()

    @property
    def compile_seconds(self) -> float:
        return self.stopwatch.seconds

    @property
    def loss(self) -> float:
        """The loss of the last batch, which is read from the device."""
        return float(self._loss)

    def reset(self) -> None:
        self._loss: Any = 0.0
        self.steps, self.other_sums = 0, [0.0] * len(self.others)
        self.whole.reset()
        self.sums.data = np.zeros(_LOSS + 1 + len(self.ours))

    def _compile(self) -> Any:
        objective, sums, ours, has_others = self.objective, self.sums, self.ours, self.needs_predictions

        def evaluate(x, y, weight=None):
            share, total = (None, y.shape[0]) if weight is None else normalize(weight)
            loss, prediction = objective(x, y, share)
            add_numbers(sums, loss, prediction, y, total, ours)
            return loss, prediction if has_others else None

        return compile_shared(no_grad(evaluate))

    def __call__(self, x: Any, y: Any, weight: Any = None) -> bool:
        """Run a batch; return whether it has updated the weights."""
        batch = (x, y) if weight is None else (x, y, weight)
        self._loss, prediction = self.stopwatch.measure(shapes_of(batch), self.run, *batch)
        self.steps += 1
        if self.needs_predictions:
            prediction = prediction.numpy()
            self.whole.add(prediction, y)
            for i, metric in enumerate(self.others):
                self.other_sums[i] += float(metric.function(prediction, y)) * len(y)
        return True

    def means(self) -> dict[str, float]:
        sums = self.sums.numpy().tolist()
        names = ("loss", *(metric.name for metric in (*self.ours, *self.others)))
        found = dict(zip(names, (*sums[_LOSS:], *self.other_sums)))
        means = {name: total / max(1, sums[_SAMPLES]) for name, total in found.items()}
        return {**means, "loss": sums[_LOSS] / (sums[_TOTAL] or 1)}

    def results(self) -> dict[str, float]:
        found = self.means() | self.whole.results()
        return {name: found[name] for name in self.names}


class CompiledStep(CompiledPass):
    """A compiled training step."""

    def __init__(
        self,
        objective: Objective,
        metrics: list[Metric],
        optimizer: Optimizer,
        clip_norm: float | None,
        is_guarded: bool,
    ):
        self.optimizer, self.clip_norm, self.is_guarded = optimizer, clip_norm, is_guarded
        super().__init__(objective, metrics)

    def _compile(self) -> Any:
        objective, sums, ours, has_others = self.objective, self.sums, self.ours, self.needs_predictions
        optimizer, clip_norm = self.optimizer, self.clip_norm

        kept = objective.parameters if self.is_guarded else []

        def step(x, y, weight=None):
            share, total = (None, y.shape[0]) if weight is None else normalize(weight)
            loss, prediction = objective(x, y, share)
            before = [p.data for p in kept]
            optimizer.zero_grad()
            loss.backward()
            if clip_norm is not None:
                clip_grad_norm(objective.parameters, clip_norm)
            optimizer.step()
            add_numbers(sums, loss, prediction, y, total, ours)
            freeze(sums, kept, before)
            return loss.detach(), prediction.detach() if has_others else None

        return compile_shared(step)

    def means(self) -> dict[str, float]:
        sums = self.sums.numpy()
        if self.is_guarded and sums[_FINITE] < self.steps:
            raise NotFinite(float(sums[_LOSS]), int(sums[_FINITE]) + 1)
        return super().means()

    def finish(self) -> bool:
        """Complete the epoch; return whether that has updated the weights."""
        return False


def shapes_of(batch: tuple) -> tuple:
    """Return the shapes of the arrays of a batch, by which compiled functions are recognized."""
    return tuple(array.shape for array in tree_leaves(batch))


_SAMPLES, _TOTAL, _STEPS, _FINITE, _LOSS = range(5)  # the sums on the device, before the metrics


def freeze(sums: Any, parameters: list[Value], before: list[Any]) -> None:
    """Keep the old weights from the first loss that is not finite on: it is read only later, and steps run on."""
    is_finite = sums.data[_FINITE] == sums.data[_STEPS]
    for p, old in zip(parameters, before):
        m: Any = backend_of(old)
        p.data = m.xp.where(is_finite, p.data, old)


def add_numbers(sums: Any, loss: Any, prediction: Any, y: Any, total: Any, metrics: list[Metric]) -> None:
    """Add the numbers of a batch, while jit traces."""
    number = loss.data
    m: Any = backend_of(number)
    prediction = prediction.data
    count = y.shape[0]
    is_finite = (abs(number) < float("inf")) & (sums.data[_FINITE] == sums.data[_STEPS])  # and all losses before
    means = [metric.function(prediction, y) * count for metric in metrics]
    added = [1.0 * count, 1.0 * total, 1.0, is_finite, number * total, *means]
    sums.data = sums.data + m.stack([m.astype(m.xp.asarray(x), sums.data.dtype) for x in added])
