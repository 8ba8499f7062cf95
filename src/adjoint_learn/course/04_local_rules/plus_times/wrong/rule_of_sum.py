"""Your product hands its gradient on unchanged, as a sum does. The local derivative of `a * b` with respect to `a`
is `b`: multiply by the other factor.
"""

from solution import *


class Value:
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
