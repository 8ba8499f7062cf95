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


class NotFinite(Exception):
    """The loss of a step is not finite; the weights are still those that it was computed from."""

    def __init__(self, loss: float, step: int):
        super().__init__(loss, step)
        self.loss, self.step = loss, step


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
        self.steps = self.samples = 0
        self.loss = 0.0  # of the last batch
        self.sums = [0.0] * (1 + len(self.averaged))
        self.whole.reset()

    def __call__(self, x: Any, y: Any) -> None:
        with no_grad():
            loss, prediction = self.objective(x, y)
        self.add(float(loss), prediction, y)

    def add(self, loss: float, prediction: Any, y: Any) -> None:
        """Add the numbers of a batch."""
        count = len(y)
        self.loss = loss
        self.steps += 1
        self.samples += count
        self.sums[0] += loss * count
        if self.metrics:
            prediction = plain(prediction)
            for i, metric in enumerate(self.averaged, 1):
                self.sums[i] += float(metric.function(prediction, y)) * count
            self.whole.add(prediction, y)

    def means(self) -> dict[str, float]:
        """Return the mean of each number over the samples so far, without the metrics that are not means."""
        names = ("loss", *(metric.name for metric in self.averaged))
        return {name: total / max(1, self.samples) for name, total in zip(names, self.sums)}

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

    def __call__(self, x: Any, y: Any) -> None:
        optimizer = self.optimizer
        loss, prediction = self.objective(x, y)
        number = float(loss)
        if self.is_guarded and not isfinite(number):
            raise NotFinite(number, self.steps + 1)
        self.add(number, prediction, y)
        optimizer.zero_grad()
        loss.backward(retain_graph=False)
        if self.clip_norm is not None:
            clip_grad_norm(self.objective.parameters, self.clip_norm)
        optimizer.step()


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

        def evaluate(x, y):
            loss, prediction = objective(x, y)
            _add(sums, loss, prediction, y, ours)
            return loss, prediction if has_others else None

        return compile_shared(no_grad(evaluate))

    def __call__(self, x: Any, y: Any) -> None:
        self._loss, prediction = self.stopwatch.measure(x.shape, self.run, x, y)
        self.steps += 1
        if self.needs_predictions:
            prediction = prediction.numpy()
            self.whole.add(prediction, y)
            for i, metric in enumerate(self.others):
                self.other_sums[i] += float(metric.function(prediction, y)) * len(y)

    def means(self) -> dict[str, float]:
        sums = self.sums.numpy().tolist()
        names = ("loss", *(metric.name for metric in (*self.ours, *self.others)))
        found = dict(zip(names, (*sums[_LOSS:], *self.other_sums)))
        return {name: total / max(1, sums[_SAMPLES]) for name, total in found.items()}

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

        def step(x, y):
            loss, prediction = objective(x, y)
            before = [p.data for p in kept]
            optimizer.zero_grad()
            loss.backward()
            if clip_norm is not None:
                clip_grad_norm(objective.parameters, clip_norm)
            optimizer.step()
            _add(sums, loss, prediction, y, ours)
            # The loss is read only now and then, so steps run on after it diverges: the weights are frozen from the
            # first loss that is not finite.
            is_finite = sums.data[_FINITE] == sums.data[_STEPS]
            for p, old in zip(kept, before):
                m: Any = backend_of(old)
                p.data = m.xp.where(is_finite, p.data, old)
            return loss.detach(), prediction.detach() if has_others else None

        return compile_shared(step)

    def means(self) -> dict[str, float]:
        sums = self.sums.numpy()
        if self.is_guarded and sums[_FINITE] < self.steps:
            raise NotFinite(float(sums[_LOSS]), int(sums[_FINITE]) + 1)
        return super().means()


_SAMPLES, _STEPS, _FINITE, _LOSS = range(4)  # the sums on the device, before the metrics


def _add(sums: Any, loss: Any, prediction: Any, y: Any, metrics: list[Metric]) -> None:
    """Add the numbers of a batch, while jit traces."""
    total = loss.data
    m: Any = backend_of(total)
    prediction = prediction.data
    count = y.shape[0]
    numbers = [total, *(metric.function(prediction, y) for metric in metrics)]
    is_finite = (abs(total) < float("inf")) & (sums.data[_FINITE] == sums.data[_STEPS])  # and all losses before
    added = [1.0 * count, 1.0, is_finite, *(x * count for x in numbers)]
    sums.data = sums.data + m.stack([m.astype(m.xp.asarray(x), sums.data.dtype) for x in added])
