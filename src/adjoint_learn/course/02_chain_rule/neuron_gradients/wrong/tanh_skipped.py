"""You passed the gradient through tanh as if it were a sum. The tanh squashes: near its ends, a change of n hardly
changes o. Its local derivative is 1 - o², which is 0.5 here."""

gradients = {"o": 1.0, "n": 1.0, "b": 1.0, "s": 1.0, "p1": 1.0, "p2": 1.0, "x1": -3.0, "w1": 2.0, "x2": 1.0, "w2": 0.0}
