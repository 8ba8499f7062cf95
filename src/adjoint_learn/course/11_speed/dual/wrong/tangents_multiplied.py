"""You multiply the two tangents. But a product also moves if only one factor does: by the tangent of this factor
times the other factor. Add up both reasons."""

from solution import *


class Dual:
    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.data * other.data, self.tangent * other.tangent)
