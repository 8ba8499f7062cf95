"""Your rule hands the gradient on unchanged. A tanh squashes: multiply by its slope, 1 − t²."""

from solution import *


class Value:
    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += out.grad

        out._backward = _backward
        return out
