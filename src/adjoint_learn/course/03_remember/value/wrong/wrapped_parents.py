"""You put the parents into another tuple. `_prev` is a tuple already: keep it as it is."""


class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = data
        self._prev = (_prev,)
        self._op = _op
        self.label = label

    def __repr__(self):
        return f"Value(data={self.data})"
