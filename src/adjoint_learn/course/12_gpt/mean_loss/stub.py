import math


def tokens(name):
    """Return a name as tokens: 0 for the boundaries, 1 to 26 for the letters."""
    return [".abcdefghijklmnopqrstuvwxyz".index(letter) for letter in "." + name + "."]


def mean_loss(table, names):
    """Return the mean of -log p over all pairs of all names."""
    return None  # TODO
