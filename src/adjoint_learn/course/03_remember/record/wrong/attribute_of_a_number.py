"""`self.data + other.data` is a number, and a number has no place for parents. Make a Value of it first."""

from solution import *


class Value:
    def __add__(self, other):
        out = self.data + other.data
        out._prev = (self, other)
        out._op = "+"
        return out
