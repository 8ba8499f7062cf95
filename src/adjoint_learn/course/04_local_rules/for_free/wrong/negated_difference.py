"""The whole difference is negated: you compute `b - a`."""

from solution import *


class Value:
    def __sub__(self, other):
        return -self + other
