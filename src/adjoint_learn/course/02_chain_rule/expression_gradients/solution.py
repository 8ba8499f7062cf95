# The slope of L with respect to each value, for a = 2, b = -3, c = 10, f = -2.
gradients = {
    "L": 1.0,
    "e": -2.0,
    "f": 4.0,
    "d": -2.0,
    "c": -2.0,
    "a": 6.0,
    "b": -4.0,
}
