"""One line of your rule of `+` adds and the other assigns. In `a + a` both lines mean the same `a`, and `=` erases
what `+=` has added."""

from solution import *


class Value:
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad = out.grad

        out._backward = _backward
        return out
