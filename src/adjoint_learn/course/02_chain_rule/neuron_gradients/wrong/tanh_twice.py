"""You halved the gradient at the sum n = s + b. A sum hands its gradient on unchanged to both of its inputs. The
derivative of tanh belongs to the one operation o = tanh(n), and does not enter a second time."""

gradients = {"o": 1.0, "n": 0.5, "b": 0.25, "s": 0.25, "p1": 0.125, "p2": 0.125}
gradients |= {"x1": -0.375, "w1": 0.25, "x2": 0.125, "w2": 0.0}
