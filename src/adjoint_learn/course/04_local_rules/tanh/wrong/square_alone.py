"""The 1 is missing: the slope is 1 − t², and not t²."""

from solution import *


class Value:
    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += out.data**2 * out.grad

        out._backward = _backward
        return out
