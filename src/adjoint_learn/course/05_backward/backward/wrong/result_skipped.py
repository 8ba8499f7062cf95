"""Nothing arrives at the parents of the result. Its rule has to run like all others, with parentheses, and after you
have set the seed.
"""

from solution import *


class Value:
    def backward(self):
        """Compute the gradient of this value with respect to every node it depends on."""
        self.grad = 1.0
        for node in reversed(topological_order(self)[:-1]):
            node._backward()
