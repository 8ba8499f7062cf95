"""`Value(-self.data)` is a new leaf: it has the right number and no parents, so no gradient finds its way back.
Compute it from `self`: `self * -1`.
"""

from solution import *


class Value:
    def __neg__(self):
        return Value(-self.data)
