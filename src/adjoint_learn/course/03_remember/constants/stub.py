class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = data
        self._prev = _prev
        self._op = _op
        self.label = label

    def __repr__(self):
        return f"Value(data={self.data})"

    def __add__(self, other):
        # TODO: other may be a number such as 1; make a Value of it
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        # TODO: the same here
        return Value(self.data * other.data, (self, other), "*")

    # TODO: Python calls __radd__ for 1 + a, and __rmul__ for 2 * a. Write both.
