"""The rule of `log` sets the gradient with `=` and discards what other uses of the value have contributed. Use
`+=`."""

from solution import *


class Value:
    def log(self):
        out = Value(math.log(self.data), (self,), "log")

        def _backward():
            self.grad = out.grad / self.data

        out._backward = _backward
        return out
