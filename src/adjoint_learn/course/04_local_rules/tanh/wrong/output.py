"""You multiply by the output t. Multiply by the slope, 1 − t²."""

from solution import *


class Value:
    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out
