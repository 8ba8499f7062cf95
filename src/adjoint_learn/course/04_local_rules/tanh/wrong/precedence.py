"""`1 - t**2 * out.grad` multiplies before it subtracts. Put 1 − t² into parentheses."""

from solution import *


class Value:
    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += 1 - out.data**2 * out.grad

        out._backward = _backward
        return out
