"""The bias is missing in n, so o is another one. n = x1·w1 + x2·w2 + b."""

import math

x1, w1, w2, b = 2.0, -3.0, 1.0, 6.8813735870195432


def w2_gradient(x2):
    o = math.tanh(x1 * w1 + x2 * w2)
    return x2 * (1 - o**2)
