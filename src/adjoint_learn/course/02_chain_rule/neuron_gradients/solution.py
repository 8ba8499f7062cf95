# The slope of o with respect to each value, for x1 = 2, x2 = 0, w1 = -3, w2 = 1, b = 6.8813735870195432.
gradients = {
    "o": 1.0,
    "n": 0.5,
    "b": 0.5,
    "s": 0.5,
    "p1": 0.5,
    "p2": 0.5,
    "x1": -1.5,
    "w1": 1.0,
    "x2": 0.5,
    "w2": 0.0,
}
