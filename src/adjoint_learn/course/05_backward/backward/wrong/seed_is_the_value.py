"""You start with the value of the result. The walk starts with the derivative of the result with respect to itself,
which is 1."""

from solution import *


class Value:
    def backward(self):
        self.grad = self.data
        for node in reversed(topological_order(self)):
            node._backward()
