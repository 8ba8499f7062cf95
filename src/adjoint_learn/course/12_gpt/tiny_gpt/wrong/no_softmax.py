"""You use the scores themselves as weights. They can be negative, and they do not sum to 1. Take their softmax
first."""

from solution import *


def attend(query, keys, values):
    scores = [dot(query, key) / math.sqrt(len(query)) for key in keys]
    return [dot(scores, column) for column in zip(*values)]
