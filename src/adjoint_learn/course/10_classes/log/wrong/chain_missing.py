"""The rule of `log` hands back the local derivative alone. Multiply it by `out.grad`, the gradient that arrived: that
is the chain rule. With `log` as the last operation, `out.grad` is 1, so the mistake shows only in longer programs."""

from solution import *


class Value:
    def log(self):
        out = Value(math.log(self.data), (self,), "log")

        def _backward():
            self.grad += 1 / self.data

        out._backward = _backward
        return out
