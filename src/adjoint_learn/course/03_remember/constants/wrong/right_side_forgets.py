"""`1 + a` gives a plain number: `__radd__` returns the sum of the numbers. It has to return a Value that remembers,
as `__add__` does."""

from solution import *


class Value:
    def __radd__(self, other):
        return self.data + other

    def __rmul__(self, other):
        return self.data * other
