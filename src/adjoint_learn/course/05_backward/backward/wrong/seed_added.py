"""The first call is right. But `self.grad += 1.0` adds the seed of the second call to that of the first one, and the
second call hands back twice as much. The derivative of the result with respect to itself is 1 in every call: set
it."""

from solution import *


class Value:
    def backward(self):
        self.grad += 1.0
        for node in reversed(topological_order(self)):
            node._backward()
