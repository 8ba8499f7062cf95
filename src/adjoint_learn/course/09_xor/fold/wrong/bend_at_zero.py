"""Both ReLUs bend at 0, so together they are one ReLU times -1. The second bend must be at s = 1: shift its input
before the relu()."""


def fold(x1, x2):
    s = x1 + x2
    return s.relu() - 2 * s.relu()
