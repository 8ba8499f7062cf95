"""The sum is right, but it is a plain number: it has forgotten where it came from. Return a new `Value` with its
parents.
"""

from solution import *


class Value:
    def __add__(self, other):
        return self.data + other.data

    def __mul__(self, other):
        return self.data * other.data
