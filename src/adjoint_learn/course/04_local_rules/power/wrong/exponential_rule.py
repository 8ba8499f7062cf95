"""log x·xⁿ is the slope if the *exponent* moves. Here the base moves: n·xⁿ⁻¹."""

from solution import *


class Value:
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += self.data**n * math.log(abs(self.data) or 1.0) * out.grad

        out._backward = _backward
        return out
