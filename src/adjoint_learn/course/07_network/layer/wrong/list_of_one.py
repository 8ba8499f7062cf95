"""A layer of one neuron returns a list with one Value. The last layer of a network has one neuron, and its result
could not be subtracted from a target. Return the Value itself in this case."""

from solution import *


class Layer:
    def __call__(self, x):
        return [neuron(x) for neuron in self.neurons]
