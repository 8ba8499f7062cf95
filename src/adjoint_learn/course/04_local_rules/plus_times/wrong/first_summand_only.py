"""Only `self` receives a gradient in your rule of `+`. The other summand moves the sum as well."""

from solution import *


class Value:
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad

        out._backward = _backward
        return out
