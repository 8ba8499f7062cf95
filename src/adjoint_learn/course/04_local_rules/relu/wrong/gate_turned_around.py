"""The gate is open on the wrong side: the gradient passes where the input is *positive*."""

from solution import *


class Value:
    def relu(self):
        out = Value(max(0.0, self.data), (self,), "relu")

        def _backward():
            self.grad += (self.data < 0) * out.grad

        out._backward = _backward
        return out
