"""You multiply each tangent by its own value. In a product each factor is moved by the *other* one: if a moves by 1,
then a·b moves by b."""

from solution import *


class Dual:
    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.data * other.data, self.tangent * self.data + other.tangent * other.data)
