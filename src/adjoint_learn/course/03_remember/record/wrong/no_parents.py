"""The number is right, but the result has no parents and no operation: pass `(self, other)` and the operation to
`Value` as well.
"""

from solution import *


class Value:
    def __add__(self, other):
        return Value(self.data + other.data)

    def __mul__(self, other):
        return Value(self.data * other.data)
