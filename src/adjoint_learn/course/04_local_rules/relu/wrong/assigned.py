"""Your rule of relu assigns with `=`: what other uses of the same value handed back is lost. Add with `+=`."""

from solution import *


class Value:
    def relu(self):
        out = Value(max(0.0, self.data), (self,), "relu")

        def _backward():
            self.grad = (self.data > 0) * out.grad

        out._backward = _backward
        return out
