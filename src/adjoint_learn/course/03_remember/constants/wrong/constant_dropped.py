"""The number is right, but the constant is not in the graph: the result has one parent only. Make a Value of the
constant, so that both parents are remembered.
"""

from solution import *


class Value:
    def __add__(self, other):
        if not isinstance(other, Value):
            return Value(self.data + other, (self,), "+")
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        if not isinstance(other, Value):
            return Value(self.data * other, (self,), "*")
        return Value(self.data * other.data, (self, other), "*")
