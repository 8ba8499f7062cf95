"""A corner with the sum 0 counts as yes in your program. The neuron says yes only above 0."""

from solution import *


def correct(w1, w2, b, targets):
    return sum((w1 * x1 + w2 * x2 + b >= 0) == target for (x1, x2), target in zip(CORNERS, targets))
