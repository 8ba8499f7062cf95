"""You divide the product by one factor to get the other. If a factor is 0, that fails, and 0 is an ordinary number
in a network. The other factor is at hand: `other.data`."""

from solution import *


class Value:
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += out.data / self.data * out.grad
            other.grad += out.data / other.data * out.grad

        out._backward = _backward
        return out
