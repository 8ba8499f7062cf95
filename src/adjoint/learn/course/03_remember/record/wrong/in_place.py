"""`a + b` changes `a` itself, and returns it. `a` may be used again later, with its old number: create a new Value
for the result.
"""


class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = data
        self._prev = _prev
        self._op = _op
        self.label = label

    def __repr__(self):
        return f"Value(data={self.data})"

    def __add__(self, other):
        self.data += other.data
        return self

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), "*")
