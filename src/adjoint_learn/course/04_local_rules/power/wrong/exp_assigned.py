"""Your rule of exp assigns with `=`. What other uses of the value have handed back is lost: add with `+=`."""

from solution import *


class Value:
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad = out.data * out.grad

        out._backward = _backward
        return out
