"""`{self, other}` is a set. It forgets the order, and for `a + a` it has only one element, although `a` is used
twice. Use a tuple: `(self, other)`.
"""

from solution import *


class Value:
    def __add__(self, other):
        return Value(self.data + other.data, {self, other}, "+")

    def __mul__(self, other):
        return Value(self.data * other.data, {self, other}, "*")
