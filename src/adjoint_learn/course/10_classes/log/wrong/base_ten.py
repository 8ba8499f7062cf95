"""You use the logarithm with base 10. Its derivative is not 1/x. The logarithm that belongs to `exp` is the natural
one, `math.log`."""

from solution import *


class Value:
    def log(self):
        out = Value(math.log10(self.data), (self,), "log")

        def _backward():
            self.grad += out.grad / self.data

        out._backward = _backward
        return out
