"""Your count ignores the bias. Without it every line passes through (0, 0); the bias is what moves the line away."""

from solution import *


def correct(w1, w2, b, targets):
    return sum((w1 * x1 + w2 * x2 > 0) == target for (x1, x2), target in zip(CORNERS, targets))
