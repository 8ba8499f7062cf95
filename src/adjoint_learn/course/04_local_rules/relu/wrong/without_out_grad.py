"""You add 1 for a positive input. That is the local derivative; multiply it by `out.grad`."""

from solution import *


class Value:
    def relu(self):
        out = Value(max(0.0, self.data), (self,), "relu")

        def _backward():
            self.grad += float(self.data > 0)

        out._backward = _backward
        return out
