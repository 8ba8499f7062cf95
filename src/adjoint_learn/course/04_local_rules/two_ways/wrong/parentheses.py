"""Python divides first: only 1 is divided by e²ˣ. Put both sums into parentheses."""

from engine import Value


def tanh_from_exp(x):
    e = (2 * x).exp()
    return e - 1 / e + 1
