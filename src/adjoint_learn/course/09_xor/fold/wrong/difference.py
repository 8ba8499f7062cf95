"""One ReLU sees the difference from one side only: at (0, 1) it is negative and becomes 0. Add a second one that
looks from the other side."""


def fold(x1, x2):
    return (x1 - x2).relu()
