"""You subtract the gradient for negative inputs. There the output does not move at all: nothing is handed back."""

from solution import *


class Value:
    def relu(self):
        out = Value(max(0.0, self.data), (self,), "relu")

        def _backward():
            self.grad += out.grad if self.data > 0 else -out.grad

        out._backward = _backward
        return out
