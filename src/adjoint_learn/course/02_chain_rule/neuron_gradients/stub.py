# The slope of o with respect to each value, for x1 = 2, x2 = 0, w1 = -3, w2 = 1, b = 6.8813735870195432.
gradients = {
    "o": 1.0,
    "n": None,  # TODO
    "b": None,
    "s": None,
    "p1": None,
    "p2": None,
    "x1": None,
    "w1": None,
    "x2": None,
    "w2": None,
}
