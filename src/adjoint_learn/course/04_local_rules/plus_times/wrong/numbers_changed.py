"""Your rule changes `data`. A rule only collects gradients; numbers are changed by training, much later."""

from solution import *


class Value:
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
            self.data -= 0.1 * self.grad

        out._backward = _backward
        return out
