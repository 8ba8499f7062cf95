"""You set the gradient of every node to 1 before you start. Only the result starts with 1; all others collect."""

from solution import *


class Value:
    def backward(self):
        for node in topological_order(self):
            node.grad = 1.0
        for node in reversed(topological_order(self)):
            node._backward()
