"""The result remembers `self` alone. It was computed from two Values: pass both."""

from solution import *


class Value:
    def __add__(self, other):
        return Value(self.data + other.data, (self,), "+")

    def __mul__(self, other):
        return Value(self.data * other.data, (self,), "*")
