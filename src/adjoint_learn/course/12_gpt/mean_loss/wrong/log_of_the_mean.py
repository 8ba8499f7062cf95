"""You take the mean of the probabilities first, and then its logarithm. Take the logarithm of each probability, and
then the mean: a single impossible pair must cost a lot."""

import math


def tokens(name):
    return [".abcdefghijklmnopqrstuvwxyz".index(letter) for letter in "." + name + "."]


def mean_loss(table, names):
    losses = []
    for name in names:
        for before, after in zip(tokens(name), tokens(name)[1:]):
            losses.append(table[before][after])
    return -math.log(sum(losses) / len(losses))
