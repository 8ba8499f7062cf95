"""Your quotient multiplies. Division is a product with `other**-1`."""

from solution import *


class Value:
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self * other
