"""You keep the negative numbers: `min` where `max` is needed."""

from solution import *


class Value:
    def relu(self):
        out = Value(min(0.0, self.data), (self,), "relu")

        def _backward():
            self.grad += (self.data > 0) * out.grad

        out._backward = _backward
        return out
