"""`parameters()` is a list of lists, one for each neuron. Training loops over it and expects a Value each time.
Collect the parameters of all neurons in one flat list."""

from solution import *


class Layer:
    def parameters(self):
        return [neuron.parameters() for neuron in self.neurons]
