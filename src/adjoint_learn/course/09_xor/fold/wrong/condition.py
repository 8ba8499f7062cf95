"""An `if` picks one of several formulas, and the network of the task has none: it computes the same at every point. The
bend comes from relu(), which looks at its own input."""


def fold(x1, x2):
    if x1.data > x2.data:
        return x1 - x2
    return x2 - x1
