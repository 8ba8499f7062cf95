"""You added the local derivative and the gradient of d. Along a chain, slopes are multiplied."""

gradients = {"L": 1.0, "e": -2.0, "f": 4.0, "d": -2.0, "c": -2.0, "a": -5.0, "b": 0.0}
