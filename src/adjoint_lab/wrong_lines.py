"""The wrong lines of the mistakes: steps of training with a mistake, and networks created with one."""

import math

from adjoint import Value, nn
from adjoint.engine.chain_rule import contributions
from adjoint.engine.graph import backward_order
from adjoint_lab.batches import Inputs, Targets
from adjoint_lab.trials import Trial

# --- steps -----------------------------------------------------------------------------------------------


def without_zeroing(trial: Trial, x: Inputs, y: Targets) -> None:
    """Take a step with gradients that still contain the earlier ones."""
    loss = trial.loss(x, y)
    loss.backward()
    trial.optimizer.step()


def assigning(trial: Trial, x: Inputs, y: Targets) -> None:
    """Take a step with a backward pass that assigns."""
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


def backward_twice(trial: Trial, x: Inputs, y: Targets) -> None:
    """Take a step after two backward passes."""
    loss = trial.loss(x, y)
    trial.optimizer.zero_grad()
    loss.backward()
    loss.backward()
    trial.optimizer.step()


def keeping_the_loss(trial: Trial, x: Inputs, y: Targets) -> None:
    """Take a step with the loss of the first step."""
    if trial.kept_loss is None:
        trial.kept_loss = trial.loss(x, y)
    trial.optimizer.zero_grad()
    trial.kept_loss.backward()
    trial.optimizer.step()


def updating_before_backward(trial: Trial, x: Inputs, y: Targets) -> None:
    """Take a step that assigns to the weights between the forward and the backward pass."""
    loss = trial.loss(x, y)
    for p in trial.network.parameters():
        p.data -= trial.optimizer.lr * p.grad
    trial.optimizer.zero_grad()
    loss.backward()


# --- networks --------------------------------------------------------------------------------------------


def set_all_weights(number: float, network: nn.MLP) -> None:
    """Set every weight and bias to one number."""
    for p in network.parameters():
        p.data = number


def lower_biases(network: nn.MLP) -> None:
    """Set the biases of all hidden neurons so low that their ReLUs are off."""
    for layer in network.layers[:-1]:
        for neuron in layer.neurons:
            neuron.b.data = -6.0


def widen_weights(network: nn.MLP) -> None:
    """Scale the weights and biases, which are between -1/√n and 1/√n for n inputs, to be between -1 and 1."""
    for layer in network.layers:
        for neuron in layer.neurons:
            for p in neuron.parameters():
                p.data *= math.sqrt(len(neuron.w))


def scale_weights(factor: float, network: nn.MLP) -> None:
    """Multiply every weight and bias by a factor."""
    for p in network.parameters():
        p.data *= factor
