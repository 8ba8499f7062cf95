"""For `1 - a` Python calls `a.__rsub__(1)`: `other` is the 1 on the left. You compute `a - 1`, which has the
opposite sign.
"""

from solution import *


class Value:
    def __rsub__(self, other):
        return self + -other
