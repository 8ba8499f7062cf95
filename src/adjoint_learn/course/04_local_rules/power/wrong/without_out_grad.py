"""Your rule of the power is right only at the end of a graph. Multiply the local derivative by `out.grad`, the
gradient that arrived there.
"""

from solution import *


class Value:
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * self.data ** (n - 1)

        out._backward = _backward
        return out
