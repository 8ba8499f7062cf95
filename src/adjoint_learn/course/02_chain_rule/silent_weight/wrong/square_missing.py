"""You computed 1 - o. The local derivative of tanh is 1 - o², with the square."""

import math

x1, w1, w2, b = 2.0, -3.0, 1.0, 6.8813735870195432


def w2_gradient(x2):
    o = math.tanh(x1 * w1 + x2 * w2 + b)
    return x2 * (1 - o)
