"""`data = data` only sets a local variable, which is gone when `__init__` returns. Store it in the object:
`self.data` is what remains.
"""


class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data, _prev=(), _op="", label=""):
        data = data
        _prev = _prev

    def __repr__(self):
        return f"Value(data={self.data})"
