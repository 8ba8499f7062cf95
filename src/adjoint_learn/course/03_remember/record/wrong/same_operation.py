"""Your product says that it is a sum: the operation was copied from `__add__`. The gradient of a product follows
another rule, so the name must be right.
"""

from solution import *


class Value:
    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), "+")
