"""You squash each product separately and then add. A neuron adds first, and squashes the total once. Otherwise its
output is not between −1 and 1."""

import random

from engine import Value


class Neuron:
    """A neuron: one weight per input, a bias, and tanh."""

    def __init__(self, nin):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(random.uniform(-1, 1))

    def __call__(self, x):
        return sum((wi * xi).tanh() for wi, xi in zip(self.w, x)) + self.b.tanh()

    def parameters(self):
        return [*self.w, self.b]
