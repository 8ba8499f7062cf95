class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data = None  # TODO: keep all four arguments in self, under their own names

    def __repr__(self):
        return "a Value"  # TODO: show the number
