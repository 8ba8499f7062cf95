"""The output is right, but its gradients are 0: you computed with `.data`, with plain floats, so your engine has
recorded nothing. Multiply and add the Values themselves."""

import random

from engine import Value


class Neuron:
    """A neuron: one weight per input, a bias, and tanh."""

    def __init__(self, nin):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(random.uniform(-1, 1))

    def __call__(self, x):
        total = self.b.data
        for wi, xi in zip(self.w, x):
            total += wi.data * xi
        return Value(total).tanh()

    def parameters(self):
        return [*self.w, self.b]
