"""You started with the value of L. The walk back starts with the slope of L with respect to itself, which is 1."""

gradients = {"L": -8.0, "e": 16.0, "f": -32.0, "d": 16.0, "c": 16.0, "a": -48.0, "b": 32.0}
