"""Your rule of the power assigns with `=`. If `a` is used twice, the first contribution is lost: add with `+=`."""

from solution import *


class Value:
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad = n * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out
