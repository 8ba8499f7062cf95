"""Your text shows 2.0 for every Value. Put the Value's own number in: `{self.data}` in an f-string."""


class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = data
        self._prev = _prev
        self._op = _op
        self.label = label

    def __repr__(self):
        return "Value(data=2.0)"
