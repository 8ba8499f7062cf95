"""You go level by level. A node that is used near the result and again further away hands on its gradient before
all of it has arrived. Use the topological order.
"""

from solution import *


class Value:
    def backward(self):
        """Compute the gradient of this value with respect to every node it depends on."""
        self.grad = 1.0
        nodes = [self]
        for node in nodes:
            node._backward()
            nodes += [parent for parent in node._prev if parent not in nodes]
