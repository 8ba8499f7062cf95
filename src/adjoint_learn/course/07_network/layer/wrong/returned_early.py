"""The `return` is inside of the loop, so `parameters()` ends after the first neuron. The others would never learn.
Return after the loop."""

from solution import *


class Layer:
    def parameters(self):
        found = []
        for neuron in self.neurons:
            found += neuron.parameters()
            return found
