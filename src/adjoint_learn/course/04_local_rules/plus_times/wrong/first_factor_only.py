"""Only `self` receives a gradient in your rule of `*`. The other factor moves the product too."""

from solution import *


class Value:
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad

        out._backward = _backward
        return out
