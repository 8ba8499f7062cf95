"""The local derivative is right, but it is not multiplied by out.grad. What happens after the sigmoid is lost: the
chain rule multiplies."""

from solution import *


class Value:
    def sigmoid(self):
        small = math.exp(-abs(self.data))
        s = 1 / (1 + small) if self.data >= 0 else small / (1 + small)
        out = Value(s, (self,), "sigmoid")

        def _backward():
            self.grad += out.data * (1 - out.data)

        out._backward = _backward
        return out
