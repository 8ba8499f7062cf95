"""You count the corners where the neuron says yes. Count those where its answer equals the target: a correct no is
correct, too."""

from solution import *


def correct(w1, w2, b, targets):
    return sum(w1 * x1 + w2 * x2 + b > 0 for (x1, x2), target in zip(CORNERS, targets))
