"""Your rule of `*` adds only the local derivative. Multiply it by `out.grad`, the gradient that arrived at the
product: that is the chain rule.
"""

from solution import *


class Value:
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data
            other.grad += self.data

        out._backward = _backward
        return out
