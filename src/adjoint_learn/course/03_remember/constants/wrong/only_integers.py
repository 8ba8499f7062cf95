"""You ask whether `other` is an `int`. A constant can be a float too, such as 0.5: ask whether it is a Value, and
wrap everything else."""

from solution import *


class Value:
    def __add__(self, other):
        other = Value(other) if isinstance(other, int) else other
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        other = Value(other) if isinstance(other, int) else other
        return Value(self.data * other.data, (self, other), "*")
