"""You return the sum of all losses. It grows with the number of names; the mean can be compared."""

import math


def tokens(name):
    return [".abcdefghijklmnopqrstuvwxyz".index(letter) for letter in "." + name + "."]


def mean_loss(table, names):
    losses = []
    for name in names:
        for before, after in zip(tokens(name), tokens(name)[1:]):
            losses.append(-math.log(table[before][after]))
    return sum(losses)
