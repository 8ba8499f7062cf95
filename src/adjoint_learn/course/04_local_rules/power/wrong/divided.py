"""You divide xⁿ by x to lower the exponent. At x = 0 that fails, although the slope of x² there is simply 0. Write
`self.data ** (n - 1)`."""

from solution import *


class Value:
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * out.data / self.data * out.grad

        out._backward = _backward
        return out
