"""Your quotient has the other sign: the smaller number is subtracted from the larger one in e²ˣ − 1, and not the
other way around."""

from engine import Value


def tanh_from_exp(x):
    e = (2 * x).exp()
    return (1 - e) / (1 + e)
