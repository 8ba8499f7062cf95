"""The classic mistakes: the wrong line of each, its effect on a training run, and how it is found.

The lab really makes the mistake: it takes the step with the wrong line, or creates the network with it. Warnings are
the actual warnings of the guards, and the results of checks come from running them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from adjoint import nn
from adjoint.engine.chain_rule import contributions
from adjoint.engine.graph import backward_order
from adjoint.engine.value import Value
from adjoint.lab.configurations import Configuration
from adjoint.lab.engines import LayerNumbers, Network
from adjoint.lab.experiments import Experiment
from adjoint.lab.protocol.mistakes import Detection, Mistake
from adjoint.training.objectives import LOSSES
from adjoint.training.steps import NotFinite
from adjoint.transforms.gradient_check import GradientCheck, check_gradients, failure


@dataclass(frozen=True)
class Fault:
    """A mistake: its lines, how it is made, and how it is found."""

    name: str
    title: str
    wrong: str
    right: str
    explanation: str
    find: Callable[["Trial"], Detection | None]
    base: Configuration
    changes: dict[str, Any] = field(default_factory=dict)  # of the configuration, if the mistake is a setting
    begin: Callable[[nn.MLP], None] | None = None  # applies the mistake to a new network
    step: Callable[["Trial", np.ndarray, np.ndarray], None] | None = None  # takes a step with the mistake

    @property
    def is_in_step(self) -> bool:
        """Whether the wrong line runs in each step, so that fixing it takes effect during training."""
        return self.step is not None or "lr" in self.changes

    def as_json(self) -> Mistake:
        """Return what a page shows of it."""
        return {
            "name": self.name,
            "title": self.title,
            "wrong": self.wrong,
            "right": self.right,
            "explanation": self.explanation,
            "is_in_step": self.is_in_step,
        }


class Trial(Experiment):
    """A training run with a mistake, or the same run without it."""

    def __init__(self, fault: Fault, seed: int, is_broken: bool):
        self.fault, self.is_broken = fault, is_broken
        base = replace(fault.base, seed=seed)
        super().__init__(replace(base, **fault.changes) if is_broken else base)

    def create_network(self) -> Network:
        network = super().create_network()
        if self.is_broken and self.fault.begin:
            assert isinstance(network, nn.MLP)
            self.fault.begin(network)
        return network

    def switch(self, is_broken: bool) -> None:
        """Use the wrong line or the correct one from now on; this does not change an existing network."""
        self.is_broken = is_broken
        if "lr" in self.fault.changes:
            self.optimizer.lr = self.fault.changes["lr"] if is_broken else self.fault.base.lr

    def train_on(self, x: np.ndarray, y: np.ndarray) -> None:
        if self.is_broken and self.fault.step:
            self.fault.step(self, x, y)
        else:
            super().train_on(x, y)

    def loss(self, x: np.ndarray, y: np.ndarray) -> Value:
        """Return the loss of a batch; a loss that is not finite ends training."""
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
    """Run the backward pass with `=` instead of `+=`, so that each value keeps only its last contribution.

    >>> a = Value(3.0)
    >>> assigning_backward(a * a)
    >>> a.grad
    3.0
    """
    root.grad = 1.0
    for node in backward_order(root):
        for parent, contribution in zip(node.parents, contributions(node, node.grad)):
            parent.grad = contribution


def _set_all_weights(number: float, network: nn.MLP) -> None:
    for p in network.parameters():
        p.data = number


def _lower_biases(network: nn.MLP) -> None:
    for layer in network.layers[:-1]:
        for neuron in layer.neurons:
            neuron.b.data = -6.0


# --- detection -----------------------------------------------------------------------------------------


def _guard(name: str, trial: Trial) -> Detection | None:
    if not trial.warnings:
        return None
    return {"by": f"adjoint.guards: {name}", "text": trial.warnings[0], "is_guard": True}


def _check_result(call: str, text: str) -> Detection:
    return {"by": call, "text": text, "is_guard": False}


def _diagnose(trial: Trial) -> Detection:
    loss = LOSSES[trial.configuration.loss]
    targets = trial.targets[:, None].astype(float)
    found = nn.diagnose(trial.array_network(), trial.inputs, targets, loss, show=False)
    return _check_result("nn.diagnose(model, X, y)", str(found))


def _check(trial: Trial) -> Detection:
    """Check the gradient of the last layer on a few samples, with the backward pass of the training run."""
    network, few = trial.scalar_network(), slice(0, 4)
    weights = network.layers[-1].neurons[0].w
    predictions = [network(row) for row in trial.inputs[few].tolist()]
    loss = LOSSES[trial.configuration.loss](predictions, trial.targets[few].tolist())
    result = check_gradients(loss, *weights, raise_on_failure=False)
    if trial.is_broken:
        assigning_backward(loss)
        result = GradientCheck([row._replace(analytic=w.grad) for row, w in zip(result.inputs, weights)])
    return _check_result("adjoint.check_gradients(loss)", str(result if result.ok else failure(result)))


COMPARISON = "np.ptp([[p.data for p in neuron.parameters()] for neuron in layer.neurons], axis=0).max()"


def _compare_neurons(trial: Trial) -> Detection:
    lines = []
    for k, (weights, gradients) in enumerate(zip(trial.weights()[:-1], trial.gradients()), 1):
        weight_spread, gradient_spread = (_spread(layer) for layer in (weights, gradients))
        lines.append(
            f"layer {k}: its {len(weights.b)} neurons differ by at most {weight_spread:.2g} in their weights "
            f"and {gradient_spread:.2g} in their gradients"
        )
    return _check_result(COMPARISON, "\n".join(lines))


def _spread(layer: LayerNumbers) -> float:
    """Return the largest difference between the neurons of a layer."""
    return float(np.ptp(np.column_stack([layer.w, layer.b]), axis=0).max())


def _relative_step(trial: Trial) -> Detection:
    rate = trial.optimizer.lr
    lines = [
        f"layer {k}: a step of {rate:g} × {gradients.norm:.2g} changes weights of norm {weights.norm:.2g} "
        f"by {_share(rate * gradients.norm / weights.norm)}"
        for k, (weights, gradients) in enumerate(zip(trial.weights(), trial.gradients()), 1)
    ]
    return _check_result("lr × |gradient| / |weights|", "\n".join([*lines, "About one part in a thousand is typical."]))


def _share(x: float) -> str:
    return f"one part in {1 / x:,.0f}" if 0 < x < 0.01 else f"{x:.0%}"


# --- the catalog -------------------------------------------------------------------------------------

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
            "backward() adds to the existing gradients. Without zero_grad(), each step repeats all steps before it.",
            partial(_guard, "stale_gradients"),
            _BASE,
            step=_without_zeroing,
        ),
        Fault(
            "assigned",
            "Assign instead of accumulate",
            "parent.grad = derivative * node.grad",
            "parent.grad += derivative * node.grad",
            "A value that is used several times receives one contribution to its gradient from each use. With =, all "
            "but the last are lost. A weight is used once for each sample of the batch.",
            _check,
            _BASE,
            step=_assigning,
        ),
        Fault(
            "fast",
            "Learning rate too large",
            "optimizer = SGD(model.parameters(), lr=3.0)",
            f"optimizer = SGD(model.parameters(), lr={_BASE.lr})",
            "The gradient is the slope at one point. A step that is too large lands on the other side of the valley, "
            "higher up, where the slope is even steeper.",
            partial(_guard, "not_finite_loss"),
            replace(_BASE, activation="tanh"),
            changes={"lr": 3.0},
        ),
        Fault(
            "slow",
            "Learning rate too small",
            "optimizer = SGD(model.parameters(), lr=0.0001)",
            f"optimizer = SGD(model.parameters(), lr={_BASE.lr})",
            "The direction is correct, but the steps are too small to make progress.",
            _relative_step,
            _BASE,
            changes={"lr": 1e-4},
        ),
        Fault(
            "zeros",
            "All weights zero",
            "for p in model.parameters(): p.data = 0.0",
            "for p in model.parameters(): p.data = random.uniform(-1, 1)",
            "With zero weights, no signal passes forward and no gradient flows back. Only the last bias learns.",
            _diagnose,
            replace(_BASE, activation="tanh"),
            begin=partial(_set_all_weights, 0.0),
        ),
        Fault(
            "equal",
            "All weights equal",
            "for p in model.parameters(): p.data = 0.1",
            "for p in model.parameters(): p.data = random.uniform(-1, 1)",
            "Neurons with equal weights receive equal gradients and stay equal: a layer of eight acts like one neuron.",
            _compare_neurons,
            replace(_BASE, activation="tanh"),
            begin=partial(_set_all_weights, 0.1),
        ),
        Fault(
            "dead",
            "Dead ReLUs",
            "for neuron in layer.neurons: neuron.b.data = -6.0",
            "for neuron in layer.neurons: neuron.b.data = 0.0",
            "A ReLU that outputs 0 for every sample has slope 0 for every sample, so no gradient can revive it.",
            _diagnose,
            _BASE,
            begin=_lower_biases,
        ),
        Fault(
            "vanishing",
            "Vanishing sigmoids",
            'model = nn.MLP(2, [8, 8, 8, 8, 8, 1], "sigmoid")',
            'model = nn.MLP(2, [8, 8, 8, 8, 8, 1], "tanh")',
            "The slope of a sigmoid is at most 1/4. Five such layers leave almost nothing of the gradient.",
            _diagnose,
            replace(_BASE, hidden=(8, 8, 8, 8, 8), activation="tanh"),
            changes={"activation": "sigmoid"},
        ),
    )
}
