"""`-a` returns `a`: its sign has not changed."""

from solution import *


class Value:
    def __neg__(self):
        return self * 1
