"""Neuron number i receives only input number i. In a layer every neuron sees all inputs: call each neuron with the
whole list `x`."""

from solution import *


class Layer:
    def __call__(self, x):
        outputs = [neuron([xi]) for neuron, xi in zip(self.neurons, x)]
        return outputs[0] if len(outputs) == 1 else outputs
