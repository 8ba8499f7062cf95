"""The operation is stored as the parents, and the parents as the operation. Each argument has its own name."""


class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = data
        self._prev = _op
        self._op = _prev
        self.label = label

    def __repr__(self):
        return f"Value(data={self.data})"
