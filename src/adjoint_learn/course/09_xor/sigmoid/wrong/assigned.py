"""The rule replaces the gradient instead of adding to it, so what other uses of the value have handed back is lost.
Use += as in the other rules."""

from solution import *


class Value:
    def sigmoid(self):
        small = math.exp(-abs(self.data))
        s = 1 / (1 + small) if self.data >= 0 else small / (1 + small)
        out = Value(s, (self,), "sigmoid")

        def _backward():
            self.grad = out.data * (1 - out.data) * out.grad

        out._backward = _backward
        return out
