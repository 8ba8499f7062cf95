"""One step of training: forward, backward and update. `array_steps.py` and `scalar_steps.py` have the compiled steps of
models with arrays and with scalar parameters.

A step adds up the loss and the metrics, weighted by the number of samples; `means()` divides, and `results()` adds the
metrics of all samples that are not means. The metrics use the outputs of the step. Steps of scalar models accept lists
and do not need NumPy.
"""

from math import isfinite
from typing import Any

from adjoint import optim
from adjoint.engine.modes import no_grad
from adjoint.optim import Optimizer
from adjoint.training.metric import AllSamples, Metric
from adjoint.training.objectives import Objective, plain


class NotFinite(Exception):
    """The loss of a step is not finite; the weights are still those that it was computed from.

    >>> from adjoint.training import NotFinite
    >>> NotFinite(float("nan"), step=3).step
    3
    """

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

    def state_dict(self) -> dict[str, Any]:
        """Return the sums of the epoch so far."""
        return {"steps": self.steps, "samples": self.samples, "total": self.total, "sums": self.sums}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue an epoch from its sums."""
        self.steps, self.samples = int(state["steps"]), int(state["samples"])
        self.total, self.sums = float(state["total"]), [float(x) for x in state["sums"]]

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

    def unchecked_means(self) -> dict[str, float]:
        """Return the means; a compiled step raises no error here for a loss that is not finite."""
        return self.means()

    def results(self) -> dict[str, float]:
        """Return the loss and all metrics of the samples so far."""
        found = self.means() | self.whole.results()
        return {name: found[name] for name in self.names}


class EagerStep(EagerPass):
    """A training step that is not compiled.

    >>> from adjoint import nn, optim
    >>> from adjoint.training import EagerStep, Objective
    >>> model = nn.MLP(2, [1], seed=0)
    >>> objective = Objective(model, "mse", 0.0, model.parameters())
    >>> step = EagerStep(objective, [], optim.SGD(model.parameters(), lr=0.1), None, True)
    >>> step([[0.0, 1.0]], [1.0]), step.steps
    (True, 1)
    """

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
            optim.clip_grad_norm(self.objective.parameters, self.clip_norm)
        self.optimizer.step()

    def finish(self) -> bool:
        """Complete the epoch; return whether that has updated the weights."""
        return False


class ClosureStep(EagerStep):
    """A step of LBFGS, which computes the loss of all samples several times; the metrics are those before the step."""

    def __call__(self, x: Any, y: Any, weight: Any = None) -> bool:
        share, _ = shares_of(y, weight)
        before = self.steps

        def closure() -> float:
            loss, _ = self.forward(x, y, weight) if self.steps == before else self.objective(x, y, share)
            self.optimizer.zero_grad()
            loss.backward(retain_graph=False)
            return float(loss)

        self.optimizer.step(closure)
        return True


def shares_of(y: Any, weight: Any) -> tuple[Any, float]:
    """Return the weights of samples divided by their sum, or None if there are none, and the sum."""
    if weight is None:
        return None, len(y)
    from adjoint.training.weighting import normalize  # only arrays of weights need it, and NumPy

    share, total = normalize(weight)
    return share, float(total)
