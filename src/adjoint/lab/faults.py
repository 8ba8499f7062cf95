"""The classic mistakes: what each is in a line of code, what it does to a training, and what would have told.

A mistake is made for real: the step is taken with the wrong line, or the network begins as the wrong line makes it.
What a guard says is what it said; what a check finds is what it found when it was run.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from adjoint import nn
from adjoint.engine.chain_rule import contributions
from adjoint.engine.graph import backward_order
from adjoint.engine.value import Value
from adjoint.errors import GradientError
from adjoint.lab.configurations import Configuration
from adjoint.lab.experiments import Experiment, Layer
from adjoint.training.objectives import LOSSES
from adjoint.training.steps import NotFinite
from adjoint.transforms.gradient_check import check_gradients


class Finding(NamedTuple):
    """What a guard said, or what a check found."""

    by: str  # what one would call, or what speaks by itself
    text: str
    is_guard: bool = False  # whether it speaks by itself


@dataclass(frozen=True)
class Fault:
    """A mistake: the line, how it is made, and how it is found."""

    name: str
    title: str
    wrong: str
    right: str
    explanation: str
    find: Callable[["Trial"], Finding | None]
    base: Configuration
    changes: dict[str, Any] = field(default_factory=dict)  # of the configuration, where the mistake is a choice
    begin: Callable[[Any], None] | None = None  # what the mistake makes of a new network
    step: Callable[["Trial", Any, Any], None] | None = None  # how a step is taken with it

    @property
    def is_in_step(self) -> bool:
        """Whether the wrong line runs in each step: then mending it helps a training that runs."""
        return self.step is not None or "lr" in self.changes

    def as_json(self) -> dict[str, Any]:
        """Return what a page tells of it."""
        names = ("name", "title", "wrong", "right", "explanation", "is_in_step")
        return {name: getattr(self, name) for name in names}


class Trial(Experiment):
    """A training with a mistake in it, or the same one without."""

    def __init__(self, fault: Fault, seed: int, is_broken: bool):
        self.fault, self.is_broken = fault, is_broken
        base = replace(fault.base, seed=seed)
        super().__init__(replace(base, **fault.changes) if is_broken else base)

    def made_network(self) -> Any:
        network = super().made_network()
        if self.is_broken and self.fault.begin:
            self.fault.begin(network)
        return network

    def switch(self, is_broken: bool) -> None:
        """Put the wrong line in, or the right one, while it runs; one that made the network has done its work."""
        self.is_broken = is_broken
        if "lr" in self.fault.changes:
            self.optimizer.lr = self.fault.changes["lr"] if is_broken else self.fault.base.lr

    def train_on(self, x: np.ndarray, y: np.ndarray) -> None:
        if self.is_broken and self.fault.step:
            self.fault.step(self, x, y)
        else:
            super().train_on(x, y)

    def loss(self, x: np.ndarray, y: np.ndarray) -> Value:
        """Return the loss of a batch; one that is not finite ends training."""
        loss, prediction = self._step.objective(x, y)
        if not math.isfinite(float(loss)):
            raise NotFinite(float(loss), self._step.steps + 1)
        self._step.add(float(loss), prediction, y)
        return loss


# --- the wrong lines ------------------------------------------------------------------------------------


def _without_zeroing(trial: Trial, x: np.ndarray, y: np.ndarray) -> None:
    loss = trial.loss(x, y)
    loss.backward()
    trial.optimizer.step()


def _assigning(trial: Trial, x: np.ndarray, y: np.ndarray) -> None:
    loss = trial.loss(x, y)
    trial.optimizer.zero_grad()
    assigning_backward(loss)
    trial.optimizer.step()


def assigning_backward(root: Value) -> None:
    """Run the backward pass with `=` in the place of `+=`: of what reaches a value, only the last part stays.

    >>> a = Value(3.0)
    >>> assigning_backward(a * a)
    >>> a.grad
    3.0
    """
    root.grad = 1.0
    for node in backward_order(root):
        for parent, contribution in zip(node.parents, contributions(node, node.grad)):
            parent.grad = contribution


class Forgetful(Value):
    """A Value whose `backward()` assigns, so that checks can be run on it."""

    def backward(self, *arguments: Any, **options: Any) -> None:
        assigning_backward(self)


def _all_weights(number: float, network: Any) -> None:
    for p in network.parameters():
        p.data = number


def _low_biases(network: Any) -> None:
    for layer in network.layers[:-1]:
        for neuron in layer.neurons:
            neuron.b.data = -6.0


# --- what would have told ------------------------------------------------------------------------------


def _guard(name: str, trial: Trial) -> Finding | None:
    return Finding(f"adjoint.guards: {name}", trial.warnings[0], is_guard=True) if trial.warnings else None


def _diagnosed(trial: Trial) -> Finding:
    loss = LOSSES[trial.configuration.loss]
    targets = trial.targets[:, None].astype(float)
    found = nn.diagnose(trial.array_twin(), trial.inputs, targets, loss, show=False)
    return Finding("nn.diagnose(model, X, y)", str(found))


def _checked(trial: Trial) -> Finding:
    """Check the gradient of the last layer on a few samples, with the backward pass that the training uses."""
    network = trial.scalar_twin()
    for layer in network.layers:
        for neuron in layer.neurons:
            neuron.w = [Forgetful(w.data, label=w.label) for w in neuron.w]
    few = slice(0, 4)
    predictions = [network(row) for row in trial.inputs[few].tolist()]
    loss = LOSSES[trial.configuration.loss](predictions, trial.targets[few].tolist())
    try:
        found = check_gradients(loss, *network.layers[-1].neurons[0].w)
    except GradientError as error:
        return Finding("adjoint.check_gradients(loss)", str(error))
    return Finding("adjoint.check_gradients(loss)", str(found))


def _symmetry(trial: Trial) -> Finding:
    lines = []
    for k, (weights, gradients) in enumerate(zip(trial.weights()[:-1], trial.gradients()), 1):
        among, apart = (_spread(layer) for layer in (weights, gradients))
        lines.append(
            f"layer {k}: its {len(weights.b)} neurons differ by at most {among:.2g} in their weights, "
            f"and by {apart:.2g} in their gradients"
        )
    return Finding("layer.w.std(axis=0)", "\n".join(lines))


def _spread(layer: Layer) -> float:
    """Return by how much the neurons of a layer differ at most."""
    return float(np.ptp(np.column_stack([layer.w, layer.b]), axis=0).max())


def _relative_step(trial: Trial) -> Finding:
    rate = trial.optimizer.lr
    lines = [
        f"layer {k}: a step of {rate:g} × {gradients.norm:.2g} moves weights of length {weights.norm:.2g} "
        f"by {_share(rate * gradients.norm / weights.norm)}"
        for k, (weights, gradients) in enumerate(zip(trial.weights(), trial.gradients()), 1)
    ]
    return Finding("lr × |gradient| / |weights|", "\n".join([*lines, "About one part in a thousand is usual."]))


def _share(x: float) -> str:
    return f"one part in {1 / x:,.0f}" if 0 < x < 0.01 else f"{x:.0%}"


# --- the catalogue -------------------------------------------------------------------------------------

_BASE = Configuration(
    dataset="moons",
    samples=80,
    held_out=0.0,
    hidden=(8, 8),
    activation="relu",
    loss="mse",
    optimizer="sgd",
    lr=0.2,
    batch_size=16,
    labels=("0", "1"),
)

FAULTS = {
    fault.name: fault
    for fault in (
        Fault(
            "unzeroed",
            "Gradients are not set to zero",
            "loss.backward(); optimizer.step()",
            "optimizer.zero_grad(); loss.backward(); optimizer.step()",
            "backward() adds to the gradients that are there. Without zeroing, a step repeats all before it.",
            partial(_guard, "stale_gradients"),
            _BASE,
            step=_without_zeroing,
        ),
        Fault(
            "assigned",
            "Assign instead of accumulate",
            "parent.grad = derivative * node.grad",
            "parent.grad += derivative * node.grad",
            "A value that is used several times receives a part of its gradient from each use. With = all but the last "
            "are lost: a weight is used once for each sample of the batch.",
            _checked,
            _BASE,
            step=_assigning,
        ),
        Fault(
            "fast",
            "Learning rate too large",
            "optimizer = SGD(model.parameters(), lr=3.0)",
            f"optimizer = SGD(model.parameters(), lr={_BASE.lr})",
            "The gradient is a slope at one point. A step that is too long lands on the other side of the valley, "
            "higher up, where the slope is steeper still.",
            partial(_guard, "not_finite_loss"),
            replace(_BASE, activation="tanh"),
            changes={"lr": 3.0},
        ),
        Fault(
            "slow",
            "Learning rate too small",
            "optimizer = SGD(model.parameters(), lr=0.0001)",
            f"optimizer = SGD(model.parameters(), lr={_BASE.lr})",
            "The direction is right, and the steps are so short that nothing comes of it.",
            _relative_step,
            _BASE,
            changes={"lr": 1e-4},
        ),
        Fault(
            "zeros",
            "All weights zero",
            "for p in model.parameters(): p.data = 0.0",
            "for p in model.parameters(): p.data = random.uniform(-1, 1)",
            "With weights of 0 no signal goes forward and no gradient comes back; only the last bias learns anything.",
            _diagnosed,
            replace(_BASE, activation="tanh"),
            begin=partial(_all_weights, 0.0),
        ),
        Fault(
            "equal",
            "All weights equal",
            "for p in model.parameters(): p.data = 0.1",
            "for p in model.parameters(): p.data = random.uniform(-1, 1)",
            "Neurons that begin alike receive the same gradient and stay alike: a layer of eight is worth one.",
            _symmetry,
            replace(_BASE, activation="tanh"),
            begin=partial(_all_weights, 0.1),
        ),
        Fault(
            "dead",
            "Dead ReLUs",
            "for neuron in layer.neurons: neuron.b.data = -6.0",
            "for neuron in layer.neurons: neuron.b.data = 0.0",
            "A ReLU that is 0 for every sample has the slope 0 for every sample: no gradient can wake it.",
            _diagnosed,
            _BASE,
            begin=_low_biases,
        ),
        Fault(
            "vanishing",
            "Vanishing sigmoids",
            'model = nn.MLP(2, [8, 8, 8, 8, 8, 1], "sigmoid")',
            'model = nn.MLP(2, [8, 8, 8, 8, 8, 1], "tanh")',
            "The slope of a sigmoid is at most 1/4. Five layers of them leave next to nothing of the gradient.",
            _diagnosed,
            replace(_BASE, hidden=(8, 8, 8, 8, 8), activation="tanh"),
            changes={"activation": "sigmoid"},
        ),
    )
}
