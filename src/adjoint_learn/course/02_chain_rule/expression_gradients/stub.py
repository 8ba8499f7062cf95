# The slope of L with respect to each value, for a = 2, b = -3, c = 10, f = -2.
gradients = {
    "L": 1.0,
    "e": None,  # TODO
    "f": None,
    "d": None,
    "c": None,
    "a": None,
    "b": None,
}
