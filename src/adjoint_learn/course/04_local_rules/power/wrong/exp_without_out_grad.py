"""Your rule of exp is the local derivative alone. Multiply it by `out.grad`."""

from solution import *


class Value:
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.data

        out._backward = _backward
        return out
