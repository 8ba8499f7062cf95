"""Your product adds. Look at the sign between the two numbers in `__mul__`."""

from solution import *


class Value:
    def __mul__(self, other):
        return Value(self.data + other.data, (self, other), "*")
