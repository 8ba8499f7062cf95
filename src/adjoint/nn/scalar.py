"""Networks of scalar Values, as in the tutorials: a neuron, a layer of neurons, and a multi-layer perceptron."""
# pyright: reportIncompatibleMethodOverride=false
# These modules define `__call__` instead of `forward`.

import random
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import methodcaller, mul
from types import EllipsisType
from typing import TYPE_CHECKING, Any

from adjoint.engine.randomness import shared_generator
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number, whole
from adjoint.errors.optional import require_numpy
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.members import frozen_note
from adjoint.nn.module import Module
from adjoint.nn.weight_limit import count_weights

if TYPE_CHECKING:
    from adjoint.nn.inputs import ArrayLike
    from adjoint.nn.sequential import Sequential

Activation = str | Callable[[Value], Value] | None
Seed = int | str | random.Random | None

ACTIVATIONS = ("tanh", "relu", "sigmoid", "leaky_relu", "elu", "gelu", "silu", "softplus", "linear")


class Neuron(Module):
    """An activation of a weighted sum of the inputs and a bias.

    micrograd's argument `nonlin` selects the activation too: "relu" if it is True, "linear" if it is False.

    >>> from adjoint import nn
    >>> nn.Neuron(2, activation="relu", seed=0)
    Neuron(2, relu)
    >>> nn.Neuron(2, nonlin=False)
    Neuron(2, linear)
    """

    def __init__(self, nin: int, activation: Activation = "tanh", *, nonlin: bool | None = None, seed: Seed = None):
        nin, rng = whole(nin, "Neuron: nin, the number of inputs,"), _generator(seed)
        if nonlin is not None:
            activation = "relu" if nonlin else "linear"
        self.activation, self._activate = _activation(activation)
        count_weights(nin + 1)
        self.w = [Value(rng.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(rng.uniform(-1, 1))

    def __call__(self, x: "ArrayLike") -> Value:
        output = self._respond(_inputs(x, len(self.w)))
        if self._forward_hooks:
            self._run_forward_hooks((x,), output)
        return output

    def _respond(self, x: Sequence) -> Value:
        return self._activate(sum(map(mul, self.w, x), self.b))

    def parameters(self) -> list[Value]:
        return [*self.w, self.b]

    def __repr__(self) -> str:
        return f"Neuron({len(self.w)}, {self.activation})"

    _headline = __repr__


class Layer(Module):
    """Neurons that share their inputs. The output is a list of Values; of a single neuron, one Value.

    >>> from adjoint import nn
    >>> nn.Layer(2, 3, "relu", seed=0)
    Layer(2, 3, relu)
    """

    def __init__(
        self,
        nin: int,
        nout: int,
        activation: Activation = "tanh",
        *,
        nonlin: bool | None = None,
        seed: Seed = None,
    ):
        rng = _generator(seed)
        count = whole(nout, "Layer: nout, the number of neurons,")
        self.neurons = [Neuron(nin, activation, nonlin=nonlin, seed=rng) for _ in range(count)]

    def __call__(self, x: "ArrayLike") -> Value:
        x = _inputs(x, len(self.neurons[0].w))
        hooks = self._forward_hooks
        # the inputs are checked once for all neurons, except for neurons of a user's class and under hooks
        direct = None if hooks else Neuron
        outputs = [neuron._respond(x) if type(neuron) is direct else neuron(x) for neuron in self.neurons]
        output: Any = outputs[0] if len(outputs) == 1 else outputs
        if hooks:
            self._run_forward_hooks((x,), output)
        return output

    def parameters(self) -> list[Value]:
        return [parameter for neuron in self.neurons for parameter in neuron.parameters()]

    def __repr__(self) -> str:
        first = self.neurons[0]
        return f"Layer({len(first.w)}, {len(self.neurons)}, {first.activation})"

    _headline = __repr__


class MLP(Module):
    """A multi-layer perceptron: layers that are applied one after the other.

    >>> from adjoint import nn
    >>> model = nn.MLP(3, [4, 4, 1], seed=0)
    >>> len(model.parameters())
    41
    >>> model
    MLP(3 → 4 tanh → 4 tanh → 1 tanh, 41 parameters)
    """

    def __init__(
        self,
        nin: int,
        nouts: Sequence[int],
        activation: Activation = "tanh",
        output_activation: Activation | EllipsisType = ...,
        *,
        seed: Seed = None,
    ):
        rng = _generator(seed)
        if isinstance(nouts, str) or not isinstance(nouts, Iterable) or len(list(nouts)) == 0:
            raise ArgumentError(f"MLP needs a list of layer sizes such as [4, 4, 1], not {describe(nouts)}")
        nouts = list(nouts)
        if output_activation is ...:
            output_activation = activation
        sizes = [nin, *nouts]
        activations = [activation] * (len(nouts) - 1) + [output_activation]
        self.layers = [
            Layer(inputs, outputs, kind, seed=rng) for inputs, outputs, kind in zip(sizes, sizes[1:], activations)
        ]

    def __call__(self, x: "ArrayLike") -> Value:
        """Return the outputs as a list; a single output as one Value."""
        output: Any = x
        for layer in self.layers:
            output = layer(output)
        if self._forward_hooks:
            self._run_forward_hooks((x,), output)
        return output

    def parameters(self) -> list[Value]:
        return [parameter for layer in self.layers for parameter in layer.parameters()]

    def to_arrays(self) -> "Sequential":
        """Return a copy of the network on arrays: it has the same weights, and takes a batch of samples.

        >>> model = MLP(3, [4, 1], seed=0)
        >>> model.to_arrays()
        Sequential(
          (0): Linear(3, 4), 16 parameters
          (1): Tanh()
          (2): Linear(4, 1), 5 parameters
          (3): Tanh()
        ), 21 parameters
        """
        require_numpy()
        from adjoint.nn.activation_layers import activation
        from adjoint.nn.layers import Linear
        from adjoint.nn.sequential import Sequential

        arrays = []
        for layer in self.layers:
            first = layer.neurons[0]
            linear = Linear(len(first.w), len(layer.neurons), seed=0)
            linear.load_state_dict(
                {
                    "weight": [[w.data for w in neuron.w] for neuron in layer.neurons],
                    "bias": [neuron.b.data for neuron in layer.neurons],
                }
            )
            arrays.append(linear)
            if first.activation != "linear":
                is_known = isinstance(first._activate, methodcaller)
                arrays.append(activation(first.activation) if is_known else first._activate)
        return Sequential(*arrays)

    def __repr__(self) -> str:
        steps = [str(len(self.layers[0].neurons[0].w))]
        steps += [f"{len(layer.neurons)} {layer.neurons[0].activation}" for layer in self.layers]
        return f"MLP({' → '.join(steps)}, {len(self.parameters())} parameters{frozen_note(self.parameters())})"

    _headline = __repr__


def _generator(seed: Seed) -> random.Random:
    if isinstance(seed, random.Random):
        return seed
    if seed is None:
        return shared_generator()
    return random.Random(int(seed) if hasattr(seed, "__index__") else seed)


def _activation(activation: Activation) -> tuple[str, Callable[[Value], Value]]:
    """Return the name of an activation, and the function itself."""
    if activation is None or activation == "linear":
        return "linear", _identity
    if callable(activation):
        return getattr(activation, "name", getattr(activation, "__name__", "custom")), activation
    if activation not in ACTIVATIONS:
        raise unknown_name_error("activation", activation, ACTIVATIONS, "; or pass a function")
    return activation, _method(activation)


@cache
def _method(name: str) -> Callable[[Value], Value]:
    """Return the activation of a name. All neurons share it, so that compiled steps serve other networks too."""
    return methodcaller(name)


def _identity(x: Value) -> Value:
    return x


def _inputs(x, count: int) -> Sequence:
    """Return `x` as a sequence of `count` inputs; a single input may be given without a list."""
    if hasattr(x, "tolist") and getattr(x, "shape", True):  # a NumPy row
        x = x.tolist()
    if count == 1 and (isinstance(x, Value) or is_number(x)):
        return (x,)
    if isinstance(x, str) or not isinstance(x, Iterable):
        raise ArgumentError(f"expected a list of {count} inputs, not {describe(x)}")
    x = x if isinstance(x, (list, tuple)) else list(x)
    if len(x) != count:
        nested = any(isinstance(xi, (list, tuple)) for xi in x)
        hint = "; the inputs are lists: call the network with one sample at a time" if nested else ""
        raise ArgumentError(f"expected {count} inputs, but got {len(x)}{hint}")
    return x
