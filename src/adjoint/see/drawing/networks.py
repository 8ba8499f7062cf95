"""The weights of a network as layers of neurons: scalar networks, stacks of Linear, and a learner's own MLP.

A neuron is an object with a list of weights `w` and a bias `b`, a layer has `neurons`, and a network has `layers`, as
in micrograd; these need not be classes of adjoint.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from adjoint.engine.value import Value
from adjoint.nn.module import Module
from adjoint.nn.sequential import Sequential

_MOST_NEURONS = 16  # of a layer that is drawn neuron by neuron
_MOST_WEIGHTS = 400


@dataclass(slots=True)
class Parameter:
    """A weight or a bias: its name, its number and its gradient."""

    name: str
    data: float
    grad: float = 0.0


@dataclass(slots=True)
class NeuronWeights:
    """A neuron: a weight for each input, and a bias, if it has one."""

    weights: list[Parameter]
    bias: Parameter | None


@dataclass(slots=True)
class Dense:
    """A layer in which every neuron is connected with every input."""

    name: str
    neurons: list[NeuronWeights]
    activation: str = ""

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return len(self.neurons[0].weights)


@dataclass(slots=True)
class Network:
    """A small network, which is drawn neuron by neuron."""

    title: str
    layers: list[Dense]
    note: str = ""

    def parameters(self) -> Iterator[Parameter]:
        """Yield the weights and biases."""
        for layer in self.layers:
            for neuron in layer.neurons:
                yield from neuron.weights
                if neuron.bias is not None:
                    yield neuron.bias

    @property
    def has_gradients(self) -> bool:
        """Whether a backward pass has reached a parameter."""
        return any(parameter.grad for parameter in self.parameters())


def is_network(x: object) -> bool:
    """Return whether `x` is a module, or is built like a neuron, a layer or a network of micrograd."""
    return not isinstance(x, type) and (isinstance(x, Module) or scalar_layers(x) is not None)


def is_small(sizes: list[tuple[int, int]]) -> bool:
    """Return whether layers of these numbers of inputs and outputs fit together and into a picture."""
    follows = all(before[1] == after[0] for before, after in pairwise(sizes))
    weights = sum(inputs * outputs for inputs, outputs in sizes)
    widest = max(max(size) for size in sizes)
    return follows and 0 < weights <= _MOST_WEIGHTS and widest <= _MOST_NEURONS


# --- networks of single numbers --------------------------------------------------------------------------------


def scalar_layers(x: object) -> list[tuple[str, list[Any]]] | None:
    """Return the path and the neurons of each layer; None if `x` is not such a network."""
    if _is_neuron(x):
        return [("", [x])]
    if _are_neurons(getattr(x, "neurons", None)):
        return [("", list(getattr(x, "neurons")))]  # noqa: B009
    layers = getattr(x, "layers", None)
    if isinstance(layers, list | tuple) and layers:
        found = [getattr(layer, "neurons", None) for layer in layers]
        if all(map(_are_neurons, found)):
            return [(f"layers[{i}]", list(neurons or ())) for i, neurons in enumerate(found)]
    return None


def _are_neurons(x: object) -> bool:
    return isinstance(x, list | tuple) and bool(x) and all(map(_is_neuron, x)) and len({len(n.w) for n in x}) == 1


def _is_neuron(x: object) -> bool:
    weights, bias = getattr(x, "w", None), _bias(x)
    return (
        isinstance(weights, list | tuple)
        and bool(weights)
        and all(map(_is_number, [*weights, 0.0 if bias is None else bias]))
    )


def _bias(neuron: object) -> object:
    return getattr(neuron, "b", None)


def _is_number(x: object) -> bool:
    data = getattr(x, "data", x)
    return isinstance(data, float | int)


def scalar_layer(path: str, neurons: list[Any]) -> Dense:
    def read(name: str, x: Any) -> Parameter:
        grad = getattr(x, "grad", None)
        grad = grad.data if isinstance(grad, Value) else grad  # of backward(create_graph=True)
        return Parameter(name, float(getattr(x, "data", x)), float(grad) if isinstance(grad, float | int) else 0.0)

    found = []
    for i, neuron in enumerate(neurons):
        name = f"{path}.neurons[{i}]." if path else f"neurons[{i}]." if len(neurons) > 1 else ""
        bias = _bias(neuron)
        weights = [read(f"{name}w[{k}]", w) for k, w in enumerate(neuron.w)]
        found.append(NeuronWeights(weights, None if bias is None else read(f"{name}b", bias)))
    return Dense(path, found, _activation_of(neurons[0]))


def _activation_of(neuron: Any) -> str:
    if isinstance(getattr(neuron, "activation", None), str):
        return neuron.activation
    nonlinear = getattr(neuron, "nonlin", None)  # micrograd's
    return "" if nonlinear is None else "relu" if nonlinear else "linear"


# --- modules ---------------------------------------------------------------------------------------------------


def applied_layers(model: Any, prefix: str = "") -> Iterator[tuple[str, Module]]:
    """Yield the modules in a model in the order of their definition; a Sequential is replaced by its layers."""
    for name, module in model.named_children():
        if is_sequential(module):
            yield from applied_layers(module, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", module


def is_sequential(model: object) -> bool:
    """Return whether a model applies its layers one after the other."""
    return isinstance(model, Sequential) and type(model).forward is Sequential.forward
