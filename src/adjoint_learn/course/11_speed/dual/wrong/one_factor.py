"""In a product you let only the left factor move. The right one may move too: add the left value times the right
tangent."""

from solution import *


class Dual:
    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.data * other.data, self.tangent * other.data)
