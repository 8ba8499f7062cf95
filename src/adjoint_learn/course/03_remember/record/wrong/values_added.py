"""You add the Values themselves, and `+` of Values is the method that you are writing: it calls itself without end.
Add their numbers, `self.data + other.data`."""

from solution import *


class Value:
    def __add__(self, other):
        return Value(self + other, (self, other), "+")

    def __mul__(self, other):
        return Value(self * other, (self, other), "*")
