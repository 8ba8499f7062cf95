"""Your text contains the characters {self.data} instead of the number. An f in front of the quotation marks makes
Python fill them in."""


class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = data
        self._prev = _prev
        self._op = _op
        self.label = label

    def __repr__(self):
        return "Value(data={self.data})"
