"""The engines of a training run, and the numbers of its network, which a change of the engine keeps.

The engines "scalar" and "compiled" train a network of scalar Values; the steps of "compiled" are compiled by `jit`. The
engine "array" trains a network of arrays.
"""

import math
import sys
from collections.abc import Callable
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from adjoint import Value, jit, nn
from adjoint.errors import installed_numpy
from adjoint.optim import Optimizer
from adjoint.training import EagerStep, ScalarStep
from adjoint_lab.protocol.common import LayerValues

ENGINES = ("scalar", "compiled", "array")
# Where Python runs in the page, it creates Values thirty times more slowly, and compiled programs are JavaScript.
DEFAULT_ENGINE = "compiled" if sys.platform == "emscripten" else "scalar"


def available_engines() -> tuple[str, ...]:
    """Return the engines that run here; the engine "array" needs NumPy."""
    return ENGINES if installed_numpy() else ENGINES[:-1]


def missing_engine() -> str:
    """Return why the engine "array" is not available; empty if it is."""
    if installed_numpy():
        return ""
    where = "this page does not have" if sys.platform == "emscripten" else "is not installed"
    return f"The array engine needs NumPy, which {where}. Use the compiled engine, or run adjoint lab on your computer."


class CompiledStep(ScalarStep):
    """A compiled step that shares no programs: a run shows how long it takes to compile."""

    compile = staticmethod(jit)


STEPS: dict[str, type[EagerStep] | type[ScalarStep]] = {
    "scalar": EagerStep,
    "compiled": CompiledStep,
    "array": EagerStep,
}

Network: TypeAlias = "nn.MLP | nn.Sequential"


class LayerNumbers(NamedTuple):
    """The weights of one layer, or their gradients: a row of weights and a bias for each neuron."""

    w: list[list[float]]
    b: list[float]

    def as_json(self) -> LayerValues:
        """Return the numbers as fields of a message."""
        return {"w": [[*w] for w in self.w], "b": [*self.b]}

    @property
    def norm(self) -> float:
        """The norm of all of them as one vector."""
        return math.hypot(*chain.from_iterable(self.w), *self.b)


def layers_of(network: Network, read: Callable[[Value], Any]) -> list[LayerNumbers]:
    """Return the numbers that `read` returns for the parameters, layer by layer."""
    if isinstance(network, nn.MLP):
        return [
            LayerNumbers(
                [[float(read(w)) for w in neuron.w] for neuron in layer.neurons],
                [float(read(neuron.b)) for neuron in layer.neurons],
            )
            for layer in network.layers
        ]
    import numpy as np  # a network of arrays needs it, a network of scalars does not

    linears = [module for module in network if isinstance(module, nn.Linear)]
    return [LayerNumbers(*(np.asarray(read(p)).tolist() for p in linear.parameters())) for linear in linears]


def parameters_from(network: Network, layers: list[LayerNumbers]) -> list[Any]:
    """Return the numbers of layers in the order and the shapes of the parameters of a network."""
    if isinstance(network, nn.MLP):
        return [x for w, b in layers for row, bias in zip(w, b) for x in (*row, bias)]
    import numpy as np

    return [np.array(numbers, float) for layer in layers for numbers in layer]


def move_numbers(source: Network, target: Network) -> None:
    """Assign the weights and the gradients of a network to another one of the same sizes."""
    for name in ("data", "grad"):
        numbers = parameters_from(target, layers_of(source, attrgetter(name)))
        for parameter, x in zip(target.parameters(), numbers):
            setattr(parameter, name, x)


def move_state(source: Network, optimizer: Optimizer, target: Network, other: Optimizer) -> None:
    """Load the state of an optimizer of one network into an optimizer of another network of the same sizes."""
    saved = optimizer.state_dict()
    held = dict(zip(map(id, source.parameters()), saved["state"].values()))
    first = next(iter(held.values()))
    count = len(target.parameters())
    state: dict[int, dict[str, Any]] = {i: {"step": first["step"]} for i in range(count)}
    for name in first.keys() - {"step"}:
        layers = layers_of(source, lambda p, name=name: held[id(p)][name])
        for i, x in enumerate(parameters_from(target, layers)):
            state[i][name] = x
    groups = [{**saved["param_groups"][0], "params": list(range(count))}]
    other.load_state_dict({"state": state, "param_groups": groups})
