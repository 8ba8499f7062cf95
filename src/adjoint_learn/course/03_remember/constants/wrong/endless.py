"""`other + self` asks the number again, which gives up again and calls `__radd__` again, without end. Turn the
operands around, or make a Value of the number first.
"""

from solution import *


class Value:
    def __radd__(self, other):
        return other + self

    def __rmul__(self, other):
        return other * self
