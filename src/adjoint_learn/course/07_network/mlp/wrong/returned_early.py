"""The `return` is inside of the loop, so the network ends after its first layer. Return after the loop."""

from solution import *


class MLP:
    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
            return x
