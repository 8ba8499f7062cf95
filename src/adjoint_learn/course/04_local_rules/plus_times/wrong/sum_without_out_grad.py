"""Your rule of `+` adds 1, which is only the local derivative. It has to be multiplied by `out.grad`, what the rest
of the graph makes of this sum. At the result itself `out.grad` is 1, so you do not see it there.
"""

from solution import *


class Value:
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += 1.0
            other.grad += 1.0

        out._backward = _backward
        return out
