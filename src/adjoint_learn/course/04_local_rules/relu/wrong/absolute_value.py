"""You return the absolute value: at −2 it is 2. relu is 0 for every negative input."""

from solution import *


class Value:
    def relu(self):
        out = Value(abs(self.data), (self,), "relu")

        def _backward():
            self.grad += (self.data > 0) * out.grad

        out._backward = _backward
        return out
