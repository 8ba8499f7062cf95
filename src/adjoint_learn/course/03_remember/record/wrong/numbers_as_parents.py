"""The parents are the numbers of `self` and `other`, not the objects. Numbers have no parents of their own, so the
history ends there: pass `(self, other)`.
"""

from solution import *


class Value:
    def __add__(self, other):
        return Value(self.data + other.data, (self.data, other.data), "+")

    def __mul__(self, other):
        return Value(self.data * other.data, (self.data, other.data), "*")
