"""You give each summand half of the gradient. If one of them moves by 0.001, the sum moves by the whole 0.001: both
receive all of `out.grad`."""

from solution import *


class Value:
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad / 2
            other.grad += out.grad / 2

        out._backward = _backward
        return out
