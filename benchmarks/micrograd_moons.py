"""micrograd's own demonstration, two moons, on any kind of number; and copies of modules for other kinds of numbers."""

import importlib
import importlib.util
import math
import os
import random
import sys
from collections.abc import Callable
from operator import methodcaller
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

EXAMPLE = Path(__file__).parents[1] / "examples" / "scalar_gpt.py"
RATE = 0.05

# --- further copies of a module, for other kinds of numbers ---


def load(name: str, path: str | Path) -> ModuleType:
    """Execute a module's file again, as a copy separate from the imported module."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pure_python_adjoint() -> ModuleType:
    """Import the package again with its Python engine; the copy of this process stays in place."""
    with patch.dict(os.environ, ADJOINT_PURE="1"), patch.dict(sys.modules):
        for name in [name for name in sys.modules if name.split(".")[0] == "adjoint"]:
            del sys.modules[name]
        package = importlib.import_module("adjoint")
        assert not package.accelerated  # also loads the engine, while the copy is the one that `import` finds
        assert package.Value.__module__ == "adjoint.engine.value"
        return package


# --- one training step on two moons, with micrograd's network ---


class Moons:
    """micrograd's MLP on one kind of number, and its training data."""

    def __init__(self, number: Callable[[float], Any], relu: Callable[[Any], Any] = methodcaller("relu")):
        random.seed(1)  # the same weights and points for every peer
        self.number, self.relu = number, relu
        self.model = network_of(number, relu).MLP(2, [16, 16, 1])
        self.points, self.labels = two_moons(100)
        self.last_loss: Any = None

    def loss(self) -> Any:
        inputs = [[self.number(x) for x in point] for point in self.points]
        scores = [self.model(point) for point in inputs]
        hinges = [self.relu(1 - label * score) for label, score in zip(self.labels, scores)]
        penalty = 1e-4 * sum(p * p for p in self.model.parameters())
        return sum(hinges) / len(hinges) + penalty

    def step(self) -> None:
        self.last_loss = self.training_step()  # releases the graph of the previous step

    def training_step(self) -> Any:
        loss = self.loss()
        self.model.zero_grad()
        loss.backward()
        for parameter in self.model.parameters():
            parameter.data -= RATE * parameter.grad
        return loss

    def let_go(self) -> None:
        self.last_loss = None

    def weights(self) -> list[float]:
        return [parameter.data for parameter in self.model.parameters()]


def network_of(number: Callable[[float], Any], relu: Callable[[Any], Any]) -> ModuleType:
    """Return micrograd's `nn` module with another kind of number instead of its Value."""
    path = importlib.import_module("micrograd.nn").__file__
    assert path is not None
    nn = load(f"micrograd_nn_on_{number.__name__}", path)
    nn.Value = number  # pyright: ignore[reportAttributeAccessIssue]
    if number is float:  # floats have no relu method

        class Neuron(nn.Neuron):
            def __call__(self, inputs):
                total = sum((weight * number for weight, number in zip(self.w, inputs)), self.b)
                return relu(total) if self.nonlin else total

        nn.Neuron = Neuron  # pyright: ignore[reportAttributeAccessIssue]
    return nn


def two_moons(count: int) -> tuple[list[list[float]], list[int]]:
    """Return noisy points on two interleaved half circles, with their classes."""
    points, labels = [], []
    for i in range(count):
        angle, label = math.pi * random.random(), 1 if i % 2 else -1
        x, y = math.cos(angle), math.sin(angle)
        if label == 1:
            x, y = 1 - x, 0.5 - y
        points.append([x + random.gauss(0, 0.1), y + random.gauss(0, 0.1)])
        labels.append(label)
    return points, labels


def relu_of_float(x: float) -> float:
    return x if x > 0.0 else 0.0
