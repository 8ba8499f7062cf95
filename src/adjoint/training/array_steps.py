"""Compiled passes and steps of models with arrays.

A compiled step adds up its numbers on its device, so that nothing is transferred until `means()` is called, unless a
metric needs the predictions.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint import optim
from adjoint.arrays.backends import backend_of
from adjoint.compile.sharing import compile_shared
from adjoint.engine.modes import no_grad
from adjoint.engine.value import Value
from adjoint.optim import Optimizer
from adjoint.training.compiled_functions import CHECKED_SIZE, CHECKED_STEPS, Stopwatch, shapes_of
from adjoint.training.eager_steps import NotFinite
from adjoint.training.metric import AllSamples, Metric
from adjoint.training.objectives import Objective
from adjoint.training.weighting import normalize

if TYPE_CHECKING:
    from adjoint.optim import LossScaler


class CompiledPass:
    """Computes the loss and the metrics of batches, compiled."""

    is_compiled = True

    def __init__(self, objective: Objective, metrics: list[Metric], compile: Callable[..., Any] | None = None):
        self.objective, self.metrics, self.compile = objective, metrics, compile or compile_shared
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

        return self.compile(no_grad(evaluate))

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

    def state_dict(self) -> dict[str, Any]:
        """Return the sums of the epoch so far."""
        return {"steps": self.steps, "sums": self.sums.numpy().tolist(), "others": self.other_sums}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue an epoch from its sums."""
        self.steps, self.other_sums = int(state["steps"]), list(state["others"])
        self.sums.data = np.array(state["sums"], dtype=float)

    def means(self) -> dict[str, float]:
        return self.unchecked_means()

    def unchecked_means(self) -> dict[str, float]:
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
        scaler: "LossScaler | None" = None,
        compile: Callable[..., Any] | None = None,
    ):
        self.optimizer, self.clip_norm, self.is_guarded, self.scaler = optimizer, clip_norm, is_guarded, scaler
        super().__init__(objective, metrics, compile)

    def _compile(self) -> Any:
        objective, sums, ours, has_others = self.objective, self.sums, self.ours, self.needs_predictions
        optimizer, clip_norm, scaler = self.optimizer, self.clip_norm, self.scaler
        kept = objective.parameters if self.is_guarded else []

        def step(x, y, weight=None):
            share, total = (None, y.shape[0]) if weight is None else normalize(weight)
            loss, prediction = objective(x, y, share)
            before = [p.data for p in kept]
            optimizer.zero_grad()
            (loss if scaler is None else scaler.scale(loss)).backward()
            update(objective.parameters, optimizer, clip_norm, scaler)
            add_numbers(sums, loss, prediction, y, total, ours)
            freeze(sums, kept, before)
            return loss.detach(), prediction.detach() if has_others else None

        is_small = sum(p.size for p in objective.parameters) <= CHECKED_SIZE
        return self.compile(step, check=CHECKED_STEPS if is_small and objective.precision == "float32" else 0)

    def means(self) -> dict[str, float]:
        sums = self.sums.numpy()
        if self.is_guarded and sums[_FINITE] < self.steps:
            raise NotFinite(float(sums[_LOSS]), int(sums[_FINITE]) + 1)
        return self.unchecked_means()

    def finish(self) -> bool:
        """Complete the epoch; return whether that has updated the weights."""
        return False


def update(parameters: list[Value], optimizer: Optimizer, clip_norm: float | None, scaler: "LossScaler | None") -> None:
    """Clip the gradients, and update the parameters; gradients of a scaled loss are divided by the scale."""
    if scaler is not None:
        scaler.unscale_(optimizer)
    if clip_norm is not None:
        optim.clip_grad_norm(parameters, clip_norm)
    if scaler is None:
        optimizer.step()
    else:
        scaler.step(optimizer)
        scaler.update()


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
    count = y.shape[0]
    is_finite = (abs(number) < float("inf")) & (sums.data[_FINITE] == sums.data[_STEPS])  # and all losses before
    means = [metric.function(prediction.data, y) * count for metric in metrics]
    added = [1.0 * count, 1.0 * total, 1.0, is_finite, number * total, *means]
    sums.data = sums.data + m.stack([m.astype(m.xp.asarray(x), sums.data.dtype) for x in added])
