"""You compute 1 + t². A tanh is never steeper than 1: the slope is 1 − t²."""

from solution import *


class Value:
    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1 + out.data**2) * out.grad

        out._backward = _backward
        return out
