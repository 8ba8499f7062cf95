"""You handed the gradient of d on to a and b unchanged. That is right for a sum; a product multiplies it by the
other factor."""

gradients = {"L": 1.0, "e": -2.0, "f": 4.0, "d": -2.0, "c": -2.0, "a": -2.0, "b": -2.0}
