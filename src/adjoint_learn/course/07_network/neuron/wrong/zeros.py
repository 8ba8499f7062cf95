"""All weights start at 0. Then all neurons of a layer compute the same number, receive the same gradient, and stay
equal forever. Draw a random number for each weight."""

from solution import *


class Neuron:
    def __init__(self, nin):
        self.w = [Value(0.0) for _ in range(nin)]
        self.b = Value(0.0)
