"""You computed 1 - n², with the input of the tanh. The formula has its output: 1 - o²."""

n_grad = 1 - 0.8813735870195432**2
gradients = {"o": 1.0, "n": n_grad, "b": n_grad, "s": n_grad, "p1": n_grad, "p2": n_grad}
gradients |= {"x1": -3 * n_grad, "w1": 2 * n_grad, "x2": n_grad, "w2": 0.0}
