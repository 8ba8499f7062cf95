"""All weights start at 0. Then all neurons of a layer compute the same number, receive the same gradient, and stay
equal forever. Draw a random number for each weight."""

import random

from engine import Value


class Neuron:
    """A neuron: one weight per input, a bias, and tanh."""

    def __init__(self, nin):
        self.w = [Value(0.0) for _ in range(nin)]
        self.b = Value(0.0)

    def __call__(self, x):
        total = self.b
        for wi, xi in zip(self.w, x):
            total = total + wi * xi
        return total.tanh()

    def parameters(self):
        return [*self.w, self.b]
