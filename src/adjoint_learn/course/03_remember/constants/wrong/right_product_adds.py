"""`2 * a` adds: `__rmul__` computes a sum."""

from solution import *


class Value:
    def __rmul__(self, other):
        return Value(other) + self
