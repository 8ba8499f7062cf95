"""You take the mean of each name first, and then the mean over the names. A letter of a short name then counts more
than a letter of a long one. Collect the losses of all pairs in one list."""

import math


def tokens(name):
    return [".abcdefghijklmnopqrstuvwxyz".index(letter) for letter in "." + name + "."]


def mean_loss(table, names):
    losses = []
    for name in names:
        pairs = list(zip(tokens(name), tokens(name)[1:]))
        losses.append(sum(-math.log(table[i][j]) for i, j in pairs) / len(pairs))
    return sum(losses) / len(losses)
