"""For `1 / a` Python calls `a.__rtruediv__(1)`: `other` is the 1 on the left, and `self` is the divisor."""

from solution import *


class Value:
    def __rtruediv__(self, other):
        return self * other**-1
