"""You gave c the gradient 0. A slope asks what would happen if c moved: e would move as much, and L with it."""

gradients = {"L": 1.0, "e": -2.0, "f": 4.0, "d": -2.0, "c": 0.0, "a": 6.0, "b": -4.0}
