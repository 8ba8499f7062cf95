"""The first layer is missing: your list of sizes starts with the first number of `nouts`. Put `nin` in front of it."""

from solution import *


class MLP:
    def __init__(self, nin, nouts):
        self.layers = [Layer(a, b) for a, b in zip(nouts, nouts[1:])]
