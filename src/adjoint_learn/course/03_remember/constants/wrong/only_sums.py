"""`a * 2` fails: the line that makes a Value of a number is in `__add__` alone. A product needs it too."""

from solution import *


class Value:
    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), "*")
