"""The parents are in the other order. For + and * the number is the same, but a / b and b / a are not: put `self`
first."""

from solution import *


class Value:
    def __add__(self, other):
        return Value(self.data + other.data, (other, self), "+")

    def __mul__(self, other):
        return Value(self.data * other.data, (other, self), "*")
