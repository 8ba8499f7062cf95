"""You call the rules from the inputs to the result. When the rule of `d` runs, nothing has arrived at it yet.
Gradients travel from the result back: reverse the order.
"""

from solution import *


class Value:
    def backward(self):
        """Compute the gradient of this value with respect to every node it depends on."""
        self.grad = 1.0
        for node in topological_order(self):
            node._backward()
