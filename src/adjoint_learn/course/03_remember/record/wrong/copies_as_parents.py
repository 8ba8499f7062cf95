"""The parents are copies: new Values with the same numbers. They have no history, and a gradient that arrives at a
copy is lost. Store `self` and `other` themselves."""

from solution import *


class Value:
    def __add__(self, other):
        return Value(self.data + other.data, (Value(self.data), Value(other.data)), "+")

    def __mul__(self, other):
        return Value(self.data * other.data, (Value(self.data), Value(other.data)), "*")
