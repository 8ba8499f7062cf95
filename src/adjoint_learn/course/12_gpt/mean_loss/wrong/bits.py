"""You use the logarithm with base 2, so your loss is in bits: log2 27 = 4.75. The cross-entropy of lesson 12 and of
every library uses the natural logarithm."""

import math


def tokens(name):
    return [".abcdefghijklmnopqrstuvwxyz".index(letter) for letter in "." + name + "."]


def mean_loss(table, names):
    losses = []
    for name in names:
        for before, after in zip(tokens(name), tokens(name)[1:]):
            losses.append(-math.log2(table[before][after]))
    return sum(losses) / len(losses)
