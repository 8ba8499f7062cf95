"""You multiply by the input. For a positive input the slope is 1: the output moves exactly as much as the input."""

from solution import *


class Value:
    def relu(self):
        out = Value(max(0.0, self.data), (self,), "relu")

        def _backward():
            self.grad += self.data * out.grad

        out._backward = _backward
        return out
