"""Your relu hands the gradient back for negative inputs as well. There the output is 0 whatever the input does, so
the derivative is 0.
"""

from solution import *


class Value:
    def relu(self):
        out = Value(max(0.0, self.data), (self,), "relu")

        def _backward():
            self.grad += out.grad

        out._backward = _backward
        return out
