"""You make a Value of `other` even if it is one already. Then the `data` of the new Value is a Value and not a number,
and `+` calls itself without end. Keep a Value as it is.
"""

from solution import *


class Value:
    def __add__(self, other):
        other = Value(other)
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        other = Value(other)
        return Value(self.data * other.data, (self, other), "*")
