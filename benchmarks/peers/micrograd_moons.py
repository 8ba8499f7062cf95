"""micrograd's own demonstration, two moons, on any kind of number."""

import importlib
import math
import random
from collections.abc import Callable
from operator import methodcaller
from types import ModuleType
from typing import Any

RATE = 0.05


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

    def __call__(self) -> float:
        self.last_loss = self.training_step()  # releases the graph of the previous step
        return self.last_loss.data

    def training_step(self) -> Any:
        loss = self.loss()
        self.model.zero_grad()
        loss.backward()
        for parameter in self.model.parameters():
            parameter.data -= RATE * parameter.grad
        return loss

    def weights(self) -> list[float]:
        return [parameter.data for parameter in self.model.parameters()]


def network_of(number: Callable[[float], Any], relu: Callable[[Any], Any]) -> ModuleType:
    """Return micrograd's `nn` module, which then uses another kind of number instead of its Value."""
    nn: Any = importlib.import_module("micrograd.nn")
    nn.Value = number
    if number is float:  # floats have no relu method

        class Neuron(nn.Neuron):
            def __call__(self, inputs):
                total = sum((weight * number for weight, number in zip(self.w, inputs)), self.b)
                return relu(total) if self.nonlin else total

        nn.Neuron = Neuron
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
