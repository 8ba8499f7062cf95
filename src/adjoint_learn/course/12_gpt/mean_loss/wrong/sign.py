"""Your loss is negative: the logarithm of a probability is below 0. Put a minus in front, so that a better model has
a smaller loss."""

import math


def tokens(name):
    return [".abcdefghijklmnopqrstuvwxyz".index(letter) for letter in "." + name + "."]


def mean_loss(table, names):
    losses = []
    for name in names:
        for before, after in zip(tokens(name), tokens(name)[1:]):
            losses.append(math.log(table[before][after]))
    return sum(losses) / len(losses)
