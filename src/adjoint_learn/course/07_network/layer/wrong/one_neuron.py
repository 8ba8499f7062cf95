"""All entries of `neurons` are the same neuron: `[Neuron(nin)] * nout` repeats one object. Such a layer has one
opinion, several times. Create a new neuron for each output."""

from solution import *


class Layer:
    def __init__(self, nin, nout):
        self.neurons = [Neuron(nin)] * nout
