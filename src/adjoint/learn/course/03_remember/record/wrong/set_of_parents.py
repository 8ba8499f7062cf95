"""`{self, other}` is a set. It forgets the order, and for `a + a` it has only one element, although `a` is used
twice. Use a tuple: `(self, other)`.
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
        return Value(self.data + other.data, {self, other}, "+")

    def __mul__(self, other):
        return Value(self.data * other.data, {self, other}, "*")
