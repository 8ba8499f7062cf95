"""You set `_prev` to an empty tuple and ignore the argument. The default is for numbers that you type in; a
computed value passes its parents, and must keep them.
"""


class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = data
        self._prev = ()
        self._op = _op
        self.label = label

    def __repr__(self):
        return f"Value(data={self.data})"
