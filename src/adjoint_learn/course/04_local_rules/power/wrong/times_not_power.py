"""You multiply by n − 1 where it is an exponent: `**`, not `*`."""

from solution import *


class Value:
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * self.data * (n - 1) * out.grad

        out._backward = _backward
        return out
