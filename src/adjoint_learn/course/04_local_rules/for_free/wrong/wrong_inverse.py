"""You take the inverse of the dividend: `a / b` is a times b⁻¹."""

from solution import *


class Value:
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self**-1 * other
