"""You ask whether the gradient is positive. The gate was opened or closed in the forward pass: ask whether the
input is positive.
"""

from solution import *


class Value:
    def relu(self):
        out = Value(max(0.0, self.data), (self,), "relu")

        def _backward():
            self.grad += (out.grad > 0) * out.grad

        out._backward = _backward
        return out
