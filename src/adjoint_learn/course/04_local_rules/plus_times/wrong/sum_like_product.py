"""Your rule of `+` multiplies by the other number. That is the rule of a product; the local derivatives of a sum are
1."""

from solution import *


class Value:
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out
