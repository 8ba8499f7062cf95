"""The weights of a stack of Linear as layers of neurons."""

from typing import Any

import numpy as np

from adjoint.arrays.backends import backend_of
from adjoint.engine.value import Value
from adjoint.nn.activation_layers import Activation, Identity, LogSoftmax, Softmax
from adjoint.nn.dropouts import Dropout
from adjoint.nn.layers import Linear
from adjoint.nn.module import Module
from adjoint.nn.sequential import Function
from adjoint.nn.shape_layers import Flatten
from adjoint.see.drawing.networks import Dense, NeuronWeights, Parameter, applied_layers, is_small


def array_layers(model: Module) -> list[Dense]:
    """Return the layers of a model; nothing for other models and large ones."""
    return [_array_layer(*layer) for layer in _layers_of(model)]


def _layers_of(model: Module) -> list[tuple[str, Any, str]]:
    """Return the path, the Linear and the activation of each layer; nothing for other models and large ones."""
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
    return found if found and is_all and is_small(sizes) else []


def _array_layer(path: str, linear: Any, activation: str) -> Dense:
    prefix = f"{path}." if path else ""
    weights = zip(_numbers(linear.weight), _numbers(linear.weight, "grad"))
    biases = [] if linear.bias is None else list(zip(_numbers(linear.bias), _numbers(linear.bias, "grad")))
    neurons = []
    for i, (row, grads) in enumerate(weights):
        parameters = [Parameter(f"{prefix}weight[{i}, {k}]", *pair) for k, pair in enumerate(zip(row, grads))]
        neurons.append(NeuronWeights(parameters, Parameter(f"{prefix}bias[{i}]", *biases[i]) if biases else None))
    return Dense(path, neurons, activation)


def _numbers(parameter: Any, name: str = "data") -> list[Any]:
    array = getattr(parameter, name)
    array = array.data if isinstance(array, Value) else array
    backend = backend_of(array)
    return np.asarray(backend.to_numpy(array) if backend else array, np.float64).tolist()
