"""You take the derivative at the output, `out.data`. The slope of xⁿ belongs to the place where x is: use the
input, `self.data`.
"""

from solution import *


class Value:
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * out.data ** (n - 1) * out.grad

        out._backward = _backward
        return out
