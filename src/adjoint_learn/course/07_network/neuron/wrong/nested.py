"""`parameters()` puts the list of weights into another list. Training needs one flat list of Values: unpack the
weights with `*`, or add two lists with `+`."""

from solution import *


class Neuron:
    def parameters(self):
        return [self.w, self.b]
