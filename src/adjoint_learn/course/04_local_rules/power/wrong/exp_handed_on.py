"""Your rule of exp hands the gradient on unchanged. The slope of eˣ is eˣ, which is the output: multiply by it."""

from solution import *


class Value:
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.grad

        out._backward = _backward
        return out
