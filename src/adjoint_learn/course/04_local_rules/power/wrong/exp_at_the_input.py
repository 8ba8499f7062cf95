"""Your rule of exp multiplies by the input. The derivative of exp is exp itself, and its number is the output:
`out.data`.
"""

from solution import *


class Value:
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += self.data * out.grad

        out._backward = _backward
        return out
