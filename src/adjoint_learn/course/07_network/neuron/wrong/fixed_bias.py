"""The bias is the same in every new neuron. Draw a random number for it, as for the weights."""

from solution import *


class Neuron:
    def __init__(self, nin):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(0.0)
