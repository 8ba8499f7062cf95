"""You applied the derivative of tanh a second time. It belongs to the one operation o = tanh(n); the operations
before it only see the gradient 0.5 that arrives."""

gradients = {"o": 1.0, "n": 0.5, "b": 0.25, "s": 0.25, "p1": 0.125, "p2": 0.125}
gradients |= {"x1": -0.375, "w1": 0.25, "x2": 0.125, "w2": 0.0}
