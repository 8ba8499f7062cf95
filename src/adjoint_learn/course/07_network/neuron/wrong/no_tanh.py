"""Your neuron returns the weighted sum itself. Without tanh a neuron is a straight line, and a network of straight
lines is again a straight line. Squash the sum."""

from solution import *


class Neuron:
    def __call__(self, x):
        return sum(wi * xi for wi, xi in zip(self.w, x)) + self.b
