import math


class Dual:
    """A number, and how fast it moves when one chosen input moves."""

    def __init__(self, data, tangent=0.0):
        self.data = data
        self.tangent = tangent

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return None  # TODO

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return None  # TODO

    def tanh(self):
        return None  # TODO

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other
