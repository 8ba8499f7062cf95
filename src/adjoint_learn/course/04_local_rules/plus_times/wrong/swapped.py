"""Each factor gets its own value in your rule of `*`. If `a` moves by 1, `a * b` moves by `b`: the gradient of one
factor needs the value of the other.
"""

from solution import *


class Value:
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += self.data * out.grad
            other.grad += other.data * out.grad

        out._backward = _backward
        return out
