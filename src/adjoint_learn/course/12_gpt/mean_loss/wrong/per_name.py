"""You divide by the number of names instead of the number of pairs. Long names then seem worse than short ones. Take
the mean over all pairs."""

import math


def tokens(name):
    return [".abcdefghijklmnopqrstuvwxyz".index(letter) for letter in "." + name + "."]


def mean_loss(table, names):
    losses = []
    for name in names:
        for before, after in zip(tokens(name), tokens(name)[1:]):
            losses.append(-math.log(table[before][after]))
    return sum(losses) / len(names)
