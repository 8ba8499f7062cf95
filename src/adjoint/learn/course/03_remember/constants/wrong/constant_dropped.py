"""The number is right, but the constant is not in the graph: the result has one parent only. Make a Value of the
constant, so that both parents are remembered.
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
        if not isinstance(other, Value):
            return Value(self.data + other, (self,), "+")
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        if not isinstance(other, Value):
            return Value(self.data * other, (self,), "*")
        return Value(self.data * other.data, (self, other), "*")

    def __radd__(self, other):
        return Value(other) + self

    def __rmul__(self, other):
        return Value(other) * self
