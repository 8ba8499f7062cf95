"""`parameters()` returns the parameters of one layer: each pass of your loop replaces the list. The other layers
would never learn. Extend the list instead."""

from solution import *


class MLP:
    def parameters(self):
        found = []
        for layer in self.layers:
            found = layer.parameters()
        return found
