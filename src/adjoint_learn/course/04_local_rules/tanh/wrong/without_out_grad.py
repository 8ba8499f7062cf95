"""Your rule is the local derivative alone. Multiply it by `out.grad`, what the rest of the graph makes of this
tanh.
"""

from solution import *


class Value:
    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += 1 - out.data**2

        out._backward = _backward
        return out
