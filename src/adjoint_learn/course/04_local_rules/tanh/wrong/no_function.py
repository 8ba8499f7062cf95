"""Your value is the input itself. Apply `math.tanh` to it."""

from solution import *


class Value:
    def tanh(self):
        out = Value(self.data, (self,), "tanh")

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out
