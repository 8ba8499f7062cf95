"""You call one rule, that of the result. The rules of all nodes have to run, each after those that use it."""

from solution import *


class Value:
    def backward(self):
        self.grad = 1.0
        self._backward()
