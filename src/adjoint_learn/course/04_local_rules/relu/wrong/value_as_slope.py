"""You multiply by the output. The output for a positive input is x, but its slope is 1: the output moves exactly as
much as the input.
"""

from solution import *


class Value:
    def relu(self):
        out = Value(max(0.0, self.data), (self,), "relu")

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out
