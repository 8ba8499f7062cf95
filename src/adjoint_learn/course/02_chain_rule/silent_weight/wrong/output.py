"""You multiply by the output of the neuron. Multiply by the slope of the tanh, 1 - o²."""

import math

x1, w1, w2, b = 2.0, -3.0, 1.0, 6.8813735870195432


def w2_gradient(x2):
    return x2 * math.tanh(x1 * w1 + x2 * w2 + b)
