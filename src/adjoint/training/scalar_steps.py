"""Compiled passes and steps of models with scalar parameters.

`jit` records the operations on single numbers once for each number of samples, and replays them. The samples are
arguments of the compiled function, so batches of one size share a program. Metrics and the test of the loss are
computed outside, from the numbers that the program returns.
"""

from math import inf, isfinite
from typing import Any

from adjoint.engine import ops
from adjoint.engine.modes import no_grad
from adjoint.engine.value import Value
from adjoint.optim import Optimizer, clip_grad_norm
from adjoint.training.objectives import Metric, Objective
from adjoint.training.steps import EagerPass, NotFinite
from adjoint.training.stopwatch import Stopwatch
from adjoint.transforms.trees import tree_map


class ScalarPass(EagerPass):
    """Computes the loss and the metrics of batches, compiled."""

    is_compiled = True

    def __init__(self, objective: Objective, metrics: list[Metric]):
        super().__init__(objective, metrics)
        self._run = self._compile()
        self._stopwatch = Stopwatch()

    @property
    def compile_seconds(self) -> float:
        return self._stopwatch.seconds

    def _compile(self) -> Any:
        from adjoint.compile.compiled import jit  # loaded only where it is used

        objective, has_metrics = self.objective, bool(self.metrics)

        def evaluate(x, y):
            loss, prediction = objective(x, y)
            return loss.data, _numbers(prediction) if has_metrics else None

        return jit(no_grad(evaluate))

    def __call__(self, x: Any, y: Any) -> None:
        self.add(*self._compute(x, y), y)

    def _compute(self, x: Any, y: Any) -> tuple[float, Any]:
        """Return the loss and the predictions of a batch, as numbers."""
        return self._stopwatch.measure(len(y), self._run, x.tolist(), y.tolist())


class ScalarStep(ScalarPass):
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
        from adjoint.compile.compiled import jit  # loaded only where it is used

        objective, optimizer, clip_norm = self.objective, self.optimizer, self.clip_norm
        has_metrics, kept = bool(self.metrics), self.objective.parameters if self.is_guarded else []

        def step(x, y):
            loss, prediction = objective(x, y)
            before = [(p.data, p.grad) for p in kept]
            optimizer.zero_grad()
            loss.backward()
            if clip_norm is not None:
                clip_grad_norm(objective.parameters, clip_norm)
            optimizer.step()
            is_finite = abs(loss.data) < inf
            for p, (data, grad) in zip(kept, before):  # as in an eager step, which ends before the backward pass
                p.data, p.grad = ops.where(is_finite, p.data, data), ops.where(is_finite, p.grad, grad)
            return loss.data, _numbers(prediction) if has_metrics else None

        return jit(step)

    def __call__(self, x: Any, y: Any) -> None:
        loss, prediction = self._compute(x, y)
        if self.is_guarded and not isfinite(loss):
            raise NotFinite(loss, self.steps + 1)
        self.add(loss, prediction, y)


def _numbers(prediction: Any) -> Any:
    """Return the numbers of predictions, which are nested lists of scalar Values."""
    return tree_map(lambda x: x.data if isinstance(x, Value) else x, prediction)
