"""The formula is right, and math.exp(1000) is too large for a float. Call exp only with negative arguments: for x
below 0 use the form with e to the power of x."""

from solution import *


class Value:
    def sigmoid(self):
        s = 1 / (1 + math.exp(-self.data))
        out = Value(s, (self,), "sigmoid")

        def _backward():
            self.grad += out.data * (1 - out.data) * out.grad

        out._backward = _backward
        return out
