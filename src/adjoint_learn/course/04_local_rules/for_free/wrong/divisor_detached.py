"""You divide by `other.data`. The quotient is right, but the divisor is a plain number now, and gets no gradient.
Stay with Values: `other**-1`.
"""

from solution import *


class Value:
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self * (1 / other.data)
