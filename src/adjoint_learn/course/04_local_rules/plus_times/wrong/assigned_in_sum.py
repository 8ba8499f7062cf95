"""Your rule of `+` assigns with `=`. In `a + a` both parents are the same `a`, and the second assignment erases the
first, so 1 remains instead of 2. Add to the gradient: `+=`.
"""

from solution import *


class Value:
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad = out.grad
            other.grad = out.grad

        out._backward = _backward
        return out
