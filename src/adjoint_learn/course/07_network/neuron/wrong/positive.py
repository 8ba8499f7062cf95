"""All your weights are positive: `random.random()` is a number from 0 to 1. Then every neuron of a layer starts with
much the same answer. Take numbers from −1 to 1, which `random.uniform(-1, 1)` gives you."""

from solution import *


class Neuron:
    def __init__(self, nin):
        self.w = [Value(random.random()) for _ in range(nin)]
        self.b = Value(random.random())
