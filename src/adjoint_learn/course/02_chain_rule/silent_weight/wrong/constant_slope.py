"""You kept 0.5 for the slope of the tanh. It was 0.5 at x2 = 0; with another input, n and o are different.
Compute o again."""


def w2_gradient(x2):
    return x2 * 0.5
