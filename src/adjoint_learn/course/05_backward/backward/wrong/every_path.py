"""Your rules run once for every path to a node, and each time they hand on everything that has arrived so far, so
part of it is counted again. A node's rule runs once: when its gradient is complete.
"""

from solution import *


class Value:
    def backward(self):
        """Compute the gradient of this value with respect to every node it depends on."""
        self.grad = 1.0
        todo = [self]
        while todo:
            node = todo.pop()
            node._backward()
            todo += node._prev
