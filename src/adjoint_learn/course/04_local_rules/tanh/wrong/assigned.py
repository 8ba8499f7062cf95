"""Your rule of tanh assigns with `=`, while + and * add. The mistake shows only if the input of tanh is used
somewhere else too: add with `+=`.
"""

from solution import *


class Value:
    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad = (1 - out.data**2) * out.grad

        out._backward = _backward
        return out
