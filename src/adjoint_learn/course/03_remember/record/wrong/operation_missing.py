"""The parents are there, and the operation is missing: `_op` is empty. Pass it as the third argument."""

from solution import *


class Value:
    def __add__(self, other):
        return Value(self.data + other.data, (self, other))

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other))
