"""Your relu lets a little through for negative inputs. That is another function, the leaky ReLU; here the output is
0."""

from solution import *


class Value:
    def relu(self):
        out = Value(self.data if self.data > 0 else 0.01 * self.data, (self,), "relu")

        def _backward():
            self.grad += (1.0 if self.data > 0 else 0.01) * out.grad

        out._backward = _backward
        return out
