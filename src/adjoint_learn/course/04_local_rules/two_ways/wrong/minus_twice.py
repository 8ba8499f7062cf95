"""Top and bottom are equal in your quotient, so it is always 1. The bottom has a plus."""

from engine import Value


def tanh_from_exp(x):
    e = (2 * x).exp()
    return (e - 1 + 2) / (e + 1)
