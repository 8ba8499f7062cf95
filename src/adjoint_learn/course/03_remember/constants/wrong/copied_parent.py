"""You make a new Value of `other` even if it is one already. The copy has no parents, so the history of `b` is cut
off: keep a Value as it is.
"""

from solution import *


class Value:
    def __add__(self, other):
        other = Value(getattr(other, "data", other))
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        other = Value(getattr(other, "data", other))
        return Value(self.data * other.data, (self, other), "*")
