"""You subtract 1 after relu() instead of before it. That moves the result down, but does not move the bend. The bias
belongs inside: (s - 1).relu()."""


def fold(x1, x2):
    s = x1 + x2
    return s.relu() - 2 * (s.relu() - 1)
