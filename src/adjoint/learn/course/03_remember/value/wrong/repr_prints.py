"""`__repr__` must return a text, so that Python can show it where it is needed. Yours returns something else: a
function that only prints the text returns None.
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
