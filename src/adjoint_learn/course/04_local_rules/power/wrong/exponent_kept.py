"""You bring the exponent to the front, but do not lower it: the derivative of xⁿ is n·xⁿ⁻¹."""

from solution import *


class Value:
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * self.data**n * out.grad

        out._backward = _backward
        return out
