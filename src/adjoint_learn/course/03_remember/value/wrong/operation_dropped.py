"""The operation is not stored: `_op` stays empty, whatever was passed. Keep the argument."""


class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = data
        self._prev = _prev
        self._op = ""
        self.label = label

    def __repr__(self):
        return f"Value(data={self.data})"
