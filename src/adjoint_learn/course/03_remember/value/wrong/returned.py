"""`__init__` returns something. It only fills the new object, `self`, and has no `return`; Python complains
otherwise."""


class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = data
        self._prev = _prev
        self._op = _op
        self.label = label
        return self

    def __repr__(self):
        return f"Value(data={self.data})"
