"""Your output is 1 or 0. It should be the input itself, if that is positive."""

from solution import *


class Value:
    def relu(self):
        out = Value(float(self.data > 0), (self,), "relu")

        def _backward():
            self.grad += (self.data > 0) * out.grad

        out._backward = _backward
        return out
