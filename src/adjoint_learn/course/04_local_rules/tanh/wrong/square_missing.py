"""The derivative of tanh is 1 − t², with a square. 1 − t is something else: at t = −0.96 it is 1.96, and the slope
of tanh is never above 1.
"""

from solution import *


class Value:
    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1 - out.data) * out.grad

        out._backward = _backward
        return out
