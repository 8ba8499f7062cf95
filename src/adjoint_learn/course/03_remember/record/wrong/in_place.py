"""`a + b` changes `a` itself, and returns it. `a` may be used again later, with its old number: create a new Value
for the result.
"""

from solution import *


class Value:
    def __add__(self, other):
        self.data += other.data
        return self
