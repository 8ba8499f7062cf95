"""Your local derivative is 1 / output. The derivative of log x is 1/x, with x the input, `self.data`. For `exp` and
`tanh` the output was the convenient choice; here it is the wrong one."""

from solution import *


class Value:
    def log(self):
        out = Value(math.log(self.data), (self,), "log")

        def _backward():
            self.grad += out.grad / out.data

        out._backward = _backward
        return out
