"""`parameters()` lists the weights alone. Training changes what is in this list, so the bias would keep its random
number forever. Append `self.b`."""

from solution import *


class Neuron:
    def parameters(self):
        return self.w
