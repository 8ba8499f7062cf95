"""The label is not stored. All four arguments have to be kept, under their own names."""


class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = data
        self._prev = _prev
        self._op = _op
        self.label = ""

    def __repr__(self):
        return f"Value(data={self.data})"
