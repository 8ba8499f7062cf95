"""`__repr__` prints the text and returns nothing. Python wants the text itself, so that it can show it where it is
needed: return it.
"""


class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = data
        self._prev = _prev
        self._op = _op
        self.label = label

    def __repr__(self):
        print(f"Value(data={self.data})")
