"""You computed 1 - n², with the input of the tanh. The formula has its output, o = tanh(n)."""

import math

x1, w1, w2, b = 2.0, -3.0, 1.0, 6.8813735870195432


def w2_gradient(x2):
    n = x1 * w1 + x2 * w2 + b
    return x2 * (1 - n**2)
