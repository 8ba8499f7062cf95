"""`other` is a Value here and not a number: its number is `other.data`."""

from solution import *


class Value:
    def __add__(self, other):
        return Value(self.data + other, (self, other), "+")

    def __mul__(self, other):
        return Value(self.data * other, (self, other), "*")
