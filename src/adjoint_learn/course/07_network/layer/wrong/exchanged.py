"""`nin` and `nout` are exchanged: you create one neuron per input. A layer has `nout` neurons, and each of them has
`nin` weights."""

from solution import *


class Layer:
    def __init__(self, nin, nout):
        self.neurons = [Neuron(nout) for _ in range(nin)]
