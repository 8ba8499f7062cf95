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

_MOST_NEURONS = 16  # of a layer that is drawn neuron by neuron
_MOST_WEIGHTS = 400


@dataclass(slots=True)
class Parameter:
    """A weight or a bias: its name, its number and its gradient."""

    name: str
    data: float
    grad: float = 0.0


@dataclass(slots=True)
class Neuron:
    """A neuron: a weight for each input, and a bias, if it has one."""

    weights: list[Parameter]
    bias: Parameter | None


@dataclass(slots=True)
class Dense:
    """A layer in which every neuron is connected with every input."""

    name: str
    neurons: list[Neuron]
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


def read_network(model: Any) -> Network | None:
    """Return the neurons of a model; None if it has other layers, or is too large to draw every neuron.

    >>> from adjoint import nn
    >>> [(layer.name, layer.inputs, layer.activation) for layer in read_network(nn.MLP(2, [3, 1], seed=0)).layers]
    [('layers[0]', 2, 'tanh'), ('layers[1]', 3, 'tanh')]
    """
    scalar, note = scalar_layers(model), ""
    if scalar is not None:
        sizes = [(len(neurons[0].w), len(neurons)) for _, neurons in scalar]
        layers = [_scalar_layer(*layer) for layer in scalar] if _is_small(sizes) else []
    else:
        layers = [_array_layer(*layer) for layer in _array_layers(model)]
        if layers and not (is_sequential(model) or layers[0].name == ""):
            note = "The layers are in the order in which the model defines them."
    return Network(_title(model, layers), layers, note) if layers else None


def _title(model: object, layers: list[Dense]) -> str:
    """Return the class of a model and its sizes: `MLP(2 → 4 tanh → 1)`."""
    steps = [str(layer.inputs) for layer in layers[:1]]
    steps += [" ".join(filter(None, (str(len(layer.neurons)), layer.activation))) for layer in layers]
    return f"{type(model).__name__}({' → '.join(steps)})"


def _is_small(sizes: list[tuple[int, int]]) -> bool:
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


def _scalar_layer(path: str, neurons: list[Any]) -> Dense:
    def read(name: str, x: Any) -> Parameter:
        grad = getattr(x, "grad", None)
        grad = grad.data if isinstance(grad, Value) else grad  # of backward(create_graph=True)
        return Parameter(name, float(getattr(x, "data", x)), float(grad) if isinstance(grad, float | int) else 0.0)

    found = []
    for i, neuron in enumerate(neurons):
        name = f"{path}.neurons[{i}]." if path else f"neurons[{i}]." if len(neurons) > 1 else ""
        bias = _bias(neuron)
        weights = [read(f"{name}w[{k}]", w) for k, w in enumerate(neuron.w)]
        found.append(Neuron(weights, None if bias is None else read(f"{name}b", bias)))
    return Dense(path, found, _activation_of(neurons[0]))


def _activation_of(neuron: Any) -> str:
    if isinstance(getattr(neuron, "activation", None), str):
        return neuron.activation
    nonlinear = getattr(neuron, "nonlin", None)  # micrograd's
    return "" if nonlinear is None else "relu" if nonlinear else "linear"


# --- networks of arrays ----------------------------------------------------------------------------------------


def applied_layers(model: Any, prefix: str = "") -> Iterator[tuple[str, Module]]:
    """Yield the modules in a model in the order of their definition; a Sequential is replaced by its layers."""
    for name, module in model.named_children():
        if is_sequential(module):
            yield from applied_layers(module, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", module


def is_sequential(model: object) -> bool:
    """Return whether a model applies its layers one after the other."""
    from adjoint.nn.sequential import Sequential

    return isinstance(model, Sequential) and type(model).forward is Sequential.forward


def _array_layers(model: Module) -> list[tuple[str, Any, str]]:
    """Return the path, the Linear and the activation of each layer; nothing for other models and large ones."""
    from adjoint.nn.activations import Activation, Identity, LogSoftmax, Softmax
    from adjoint.nn.dropouts import Dropout
    from adjoint.nn.layers import Flatten, Linear
    from adjoint.nn.sequential import Function

    found: list[tuple[str, Any, str]] = []
    for path, module in [("", model)] if isinstance(model, Linear) else applied_layers(model):
        if isinstance(module, Linear):
            found.append((path, module, ""))
        elif isinstance(module, Activation | Softmax | LogSoftmax | Function) and found and not found[-1][2]:
            name = module.row if isinstance(module, Activation) else module._headline().partition("(")[0].lower()
            found[-1] = (*found[-1][:2], name)
        elif not isinstance(module, Identity | Dropout | Flatten):
            return []
    drawn = {id(p) for _, module, _ in found for p in module.parameters()}
    sizes = [(module.in_features, module.out_features) for _, module, _ in found]
    is_all = drawn == {id(p) for p in model.parameters()}
    return found if found and is_all and _is_small(sizes) else []


def _array_layer(path: str, linear: Any, activation: str) -> Dense:
    prefix = f"{path}." if path else ""
    weights = zip(_numbers(linear.weight), _numbers(linear.weight, "grad"))
    biases = [] if linear.bias is None else list(zip(_numbers(linear.bias), _numbers(linear.bias, "grad")))
    neurons = []
    for i, (row, grads) in enumerate(weights):
        parameters = [Parameter(f"{prefix}weight[{i}, {k}]", *pair) for k, pair in enumerate(zip(row, grads))]
        neurons.append(Neuron(parameters, Parameter(f"{prefix}bias[{i}]", *biases[i]) if biases else None))
    return Dense(path, neurons, activation)


def _numbers(parameter: Any, name: str = "data") -> list[Any]:
    import numpy as np

    from adjoint.arrays.backends import backend_of

    array = getattr(parameter, name)
    array = array.data if isinstance(array, Value) else array
    backend = backend_of(array)
    return np.asarray(backend.to_numpy(array) if backend else array, np.float64).tolist()
