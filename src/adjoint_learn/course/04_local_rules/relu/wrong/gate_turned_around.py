"""Nothing arrives for a positive input, where the gate should be open. Whether it is open depends on the *input*: pass
the gradient on where `self.data` is positive."""

from solution import *


class Value:
    def relu(self):
        out = Value(max(0.0, self.data), (self,), "relu")

        def _backward():
            self.grad += (self.data < 0) * out.grad

        out._backward = _backward
        return out
