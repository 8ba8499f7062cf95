"""Your difference adds: the minus is missing."""

from solution import *


class Value:
    def __sub__(self, other):
        return self + other
