"""Gradient accumulation: one update for the gradients of several batches, as if they were one batch.

The gradient of a batch counts by the sum of the weights of its samples, which is their number if they have no weights.
So batches of different sizes, and the last group of an epoch if it is incomplete, give the gradient of one large batch.
Layers that use statistics of a batch, such as `BatchNorm1d`, still see the small ones.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from adjoint import optim
from adjoint.arrays.backends import backend_of
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.training.array_steps import CompiledStep, add_numbers, freeze, update
from adjoint.training.eager_steps import EagerStep, shares_of
from adjoint.training.scalar_steps import ScalarBatch, ScalarStep, numbers_of
from adjoint.training.weighting import normalize


class Group:
    """The batches since the last update."""

    def __init__(self, size: int):
        self.size = size
        self.clear()

    def clear(self) -> None:
        self.batches, self.total, self.loss = 0, 0.0, 0.0

    def add(self, loss: float, total: float) -> None:
        self.batches += 1
        self.total += total
        self.loss += loss * total

    @property
    def mean(self) -> float:
        """The loss of the group as one batch."""
        return self.loss / (self.total or 1)


class EagerAccumulation(EagerStep):
    """Steps that are not compiled, of which every `accumulate`-th updates the weights."""

    def __init__(self, accumulate: int, *arguments: Any):
        self.group = Group(accumulate)
        super().__init__(*arguments)

    def __call__(self, x: Any, y: Any, weight: Any = None) -> bool:
        if not self.group.batches:
            self.optimizer.zero_grad()
        loss, total = self.forward(x, y, weight)
        (loss * total).backward(retain_graph=False)
        self.group.add(self.loss, total)
        return self.group.batches == self.group.size and self.finish()

    def finish(self) -> bool:
        if not self.group.batches:
            return False
        _divide(self.objective.parameters, self.group.total or 1.0)
        self.update()
        self.loss = self.group.mean
        self.group.clear()
        return True


class ScalarAccumulation(ScalarStep):
    """Compiled steps of scalar models, of which every `accumulate`-th updates the weights."""

    def __init__(self, accumulate: int, *arguments: Any):
        self.group = Group(accumulate)
        self._total = Value(1.0)  # of the batch, or of the group when it ends
        super().__init__(*arguments)
        self._update = self.compile(_updater(self, self._total))

    def _function(self, batch: ScalarBatch) -> Callable[[], Any]:
        objective, has_metrics, total = self.objective, bool(self.metrics), self._total

        def gather():
            loss, prediction = objective(*batch.read())
            before = [p.grad for p in objective.parameters]
            (loss * total.data).backward()
            is_finite = abs(loss.data) < np.inf
            for p, grad in zip(objective.parameters, before):
                p.grad = ops.where(is_finite, p.grad, grad)
            return loss.data, numbers_of(prediction) if has_metrics else None

        return self.compile(gather)

    def __call__(self, x: Any, y: np.ndarray, weight: Any = None) -> bool:
        if not self.group.batches:
            self.optimizer.zero_grad()
        share, total = shares_of(y, weight)
        self._total.data = float(total)
        self.run_checked(x, y, share, total)
        self.group.add(self.loss, total)
        return self.group.batches == self.group.size and self.finish()

    def finish(self) -> bool:
        if not self.group.batches:
            return False
        self._total.data = self.group.total or 1.0
        self._update()
        self.loss = self.group.mean
        self.group.clear()
        return True


class CompiledAccumulation(CompiledStep):
    """Steps compiled by XLA, of which every `accumulate`-th updates the weights. The sums stay on the device."""

    def __init__(self, accumulate: int, *arguments: Any):
        self.batches, self.size = 0, accumulate
        self.group: Any = Value(np.zeros(2))  # the sum of the weights, and of the weighted losses
        super().__init__(*arguments)
        self._update = self.compile(self._updater())

    def _compile(self) -> Any:
        objective, sums, ours, has_others, group, scaler = (
            self.objective, self.sums, self.ours, self.needs_predictions, self.group, self.scaler
        )  # fmt: skip

        def gather(x, y, weight=None):
            share, total = (None, y.shape[0]) if weight is None else normalize(weight)
            loss, prediction = objective(x, y, share)
            ((loss if scaler is None else scaler.scale(loss)) * total).backward()
            add_numbers(sums, loss, prediction, y, total, ours)
            m: Any = backend_of(loss.data)
            added = [1.0 * total, loss.data * total]
            group.data = group.data + m.stack([m.astype(m.xp.asarray(x), group.data.dtype) for x in added])
            return loss.detach(), prediction.detach() if has_others else None

        return self.compile(gather)

    def _updater(self) -> Callable[[], Any]:
        objective, optimizer, clip_norm, group = self.objective, self.optimizer, self.clip_norm, self.group
        kept, sums, scaler = objective.parameters if self.is_guarded else [], self.sums, self.scaler

        def update_group():
            before = [p.data for p in kept]
            total, weighted = group.data[0], group.data[1]
            m: Any = backend_of(group.data)
            total = m.xp.where(total > 0, total, 1.0)
            _divide(objective.parameters, total)
            update(objective.parameters, optimizer, clip_norm, scaler)
            freeze(sums, kept, before)
            group.data = group.data * 0.0
            return weighted / total

        return update_group

    def __call__(self, x: Any, y: Any, weight: Any = None) -> bool:
        if not self.batches:
            self.optimizer.zero_grad()
        super().__call__(x, y, weight)
        self.batches += 1
        return self.batches == self.size and self.finish()

    def finish(self) -> bool:
        if not self.batches:
            return False
        self._loss = self.stopwatch.measure("update", self._update)
        self.batches = 0
        return True


def _updater(step: ScalarStep, total: Value) -> Callable[[], None]:
    objective, optimizer, clip_norm = step.objective, step.optimizer, step.clip_norm

    def update():
        _divide(objective.parameters, total.data)
        if clip_norm is not None:
            optim.clip_grad_norm(objective.parameters, clip_norm)
        optimizer.step()

    return update


def _divide(parameters: list[Value], total: Any) -> None:
    for p in parameters:
        p.grad = p.grad / total
