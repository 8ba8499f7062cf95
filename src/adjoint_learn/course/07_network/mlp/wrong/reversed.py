"""Your layers are in the right order, but you go through them from the last to the first. Data enters at the first
layer."""

from solution import *


class MLP:
    def __call__(self, x):
        for layer in reversed(self.layers):
            x = layer(x)
        return x
