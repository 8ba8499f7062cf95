"""All your weights are positive: `random.random()` is a number from 0 to 1. Then every neuron of a layer starts with
much the same answer. Take numbers from −1 to 1, which `random.uniform(-1, 1)` gives you."""

import random

from engine import Value


class Neuron:
    """A neuron: one weight per input, a bias, and tanh."""

    def __init__(self, nin):
        self.w = [Value(random.random()) for _ in range(nin)]
        self.b = Value(random.random())

    def __call__(self, x):
        total = self.b
        for wi, xi in zip(self.w, x):
            total = total + wi * xi
        return total.tanh()

    def parameters(self):
        return [*self.w, self.b]
