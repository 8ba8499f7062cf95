"""Your rule changes `out.grad`. On the way back it is the other way around: `out.grad` has arrived, and the parents
receive."""

from solution import *


class Value:
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            out.grad += self.grad
            out.grad += other.grad

        out._backward = _backward
        return out
