"""The difference is right, but you computed it with plain numbers and made a new leaf of it. Use the operations of
Values, so that the history stays."""

from solution import *


class Value:
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data - other.data)
