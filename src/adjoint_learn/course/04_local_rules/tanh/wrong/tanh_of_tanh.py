"""You apply tanh to the output again. The derivative is taken at the input x, and tanh(x) is `out.data` already."""

from solution import *


class Value:
    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1 - math.tanh(out.data) ** 2) * out.grad

        out._backward = _backward
        return out
