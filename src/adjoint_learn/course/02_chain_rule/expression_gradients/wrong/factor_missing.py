"""These are the local derivatives of d = a·b. They say how d changes, and the question is how L changes. Multiply
each by the gradient of d, which is -2."""

gradients = {"L": 1.0, "e": -2.0, "f": 4.0, "d": -2.0, "c": -2.0, "a": -3.0, "b": 2.0}
