import math


def tokens(name):
    """Return a name as tokens: 0 for the boundaries, 1 to 26 for the letters."""
    return [".abcdefghijklmnopqrstuvwxyz".index(letter) for letter in "." + name + "."]


def mean_loss(table, names):
    """Return the mean of -log p over all pairs of all names."""
    losses = []
    for name in names:
        for before, after in zip(tokens(name), tokens(name)[1:]):
            losses.append(-math.log(table[before][after]))
    return sum(losses) / len(losses)
