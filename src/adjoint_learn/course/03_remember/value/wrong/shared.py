"""You store the number in the class, so all Values share one number, and the last one wins. Store it in `self`,
which is a different object for each Value.
"""


class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data, _prev=(), _op="", label=""):
        Value.data = data
        self._prev = _prev
        self._op = _op
        self.label = label

    def __repr__(self):
        return f"Value(data={self.data})"
