"""A factor is missing: the derivative is s * (1 - s). With s alone the slope would not fall again for large inputs,
where the curve is flat."""

from solution import *


class Value:
    def sigmoid(self):
        small = math.exp(-abs(self.data))
        s = 1 / (1 + small) if self.data >= 0 else small / (1 + small)
        out = Value(s, (self,), "sigmoid")

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out
