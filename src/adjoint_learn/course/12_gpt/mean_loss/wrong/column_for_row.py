"""You read the table the wrong way round: `table[after][before]`. The row is the token that comes first."""

import math


def tokens(name):
    return [".abcdefghijklmnopqrstuvwxyz".index(letter) for letter in "." + name + "."]


def mean_loss(table, names):
    losses = []
    for name in names:
        for before, after in zip(tokens(name), tokens(name)[1:]):
            losses.append(-math.log(table[after][before]))
    return sum(losses) / len(losses)
