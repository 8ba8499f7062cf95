"""You divide by n + 1 and raise the exponent. That is the integral; the derivative brings n to the front and lowers
the exponent: n·xⁿ⁻¹."""

from solution import *


class Value:
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += self.data ** (n + 1) / (n + 1) * out.grad

        out._backward = _backward
        return out
