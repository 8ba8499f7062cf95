"""The tangent of your `tanh` is only the local derivative. Multiply it by the tangent of the input: if the input does
not move, the output does not move either."""

from solution import *


class Dual:
    def tanh(self):
        t = math.tanh(self.data)
        return Dual(t, 1 - t**2)
