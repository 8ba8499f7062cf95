import random

from engine import Value


class Neuron:
    """A neuron: one weight per input, a bias, and tanh."""

    def __init__(self, nin):
        self.w = []  # TODO: nin Values, each a random number from -1 to 1
        self.b = Value(0.0)  # TODO: a random number as well

    def __call__(self, x):
        """Return the tanh of the weighted sum of the inputs and the bias, as a Value."""
        return None  # TODO

    def parameters(self):
        """Return the weights and the bias in one list."""
        return []  # TODO
