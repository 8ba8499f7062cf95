"""The bias is missing from the sum. Without it, a neuron whose inputs are all 0 returns 0, whatever its weights are.
Add `self.b`."""

import random

from engine import Value


class Neuron:
    """A neuron: one weight per input, a bias, and tanh."""

    def __init__(self, nin):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(random.uniform(-1, 1))

    def __call__(self, x):
        return sum(wi * xi for wi, xi in zip(self.w, x)).tanh()

    def parameters(self):
        return [*self.w, self.b]
