"""All entries of `w` are the same Value: `[Value(...)] * nin` repeats one object. The neuron then has a single
weight for all inputs. Create a new Value for each input, in a list comprehension or in a loop."""

import random

from engine import Value


class Neuron:
    """A neuron: one weight per input, a bias, and tanh."""

    def __init__(self, nin):
        self.w = [Value(random.uniform(-1, 1))] * nin
        self.b = Value(random.uniform(-1, 1))

    def __call__(self, x):
        total = self.b
        for wi, xi in zip(self.w, x):
            total = total + wi * xi
        return total.tanh()

    def parameters(self):
        return [*self.w, self.b]
