"""This is the local derivative of the product alone. Multiply it by the gradient of the product, 0.5."""

gradients = {"o": 1.0, "n": 0.5, "b": 0.5, "s": 0.5, "p1": 0.5, "p2": 0.5, "x1": -3.0, "w1": 2.0, "x2": 1.0, "w2": 0.0}
