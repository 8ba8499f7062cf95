"""The gradients of the parents are set to 1 too, which erases what they received. The seed belongs to the result
alone. Set it once, and then call `_backward()` of each node, not `backward()`.
"""

from solution import *


class Value:
    def backward(self):
        """Compute the gradient of this value with respect to every node it depends on."""
        self.grad = 1.0
        self._backward()
        for parent in self._prev:
            parent.backward()
