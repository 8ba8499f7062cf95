"""In `__radd__` the other operand is a plain number, which has no `data`. Make a Value of it."""

from solution import *


class Value:
    def __radd__(self, other):
        return Value(self.data + other.data, (self, other), "+")

    def __rmul__(self, other):
        return Value(self.data * other.data, (self, other), "*")
