"""You multiplied by the value itself. In p1 = x1·w1 the local derivative with respect to x1 is the other factor, w1."""

gradients = {"o": 1.0, "n": 0.5, "b": 0.5, "s": 0.5, "p1": 0.5, "p2": 0.5, "x1": 1.0, "w1": -1.5, "x2": 0.0, "w2": 0.5}
