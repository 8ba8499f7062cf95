"""All entries of `w` are the same Value: `[Value(...)] * nin` repeats one object. The neuron then has a single
weight for all inputs. Create a new Value for each input, in a list comprehension or in a loop."""

from solution import *


class Neuron:
    def __init__(self, nin):
        self.w = [Value(random.uniform(-1, 1))] * nin
        self.b = Value(random.uniform(-1, 1))
