"""You take exp of the output, so exp twice. The output is eˣ already: use `out.data`."""

from solution import *


class Value:
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += math.exp(out.data) * out.grad

        out._backward = _backward
        return out
