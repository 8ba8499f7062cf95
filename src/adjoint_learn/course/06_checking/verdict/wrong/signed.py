"""You forgot `abs`. A gradient that is too small gives a negative difference, which is never larger than your limit.
Compare the size of the difference."""

from engine import Value


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def verdict(operation, function):
    for x in (-1.7, -0.6, 0.4, 1.0, 1.9):
        v = Value(x)
        out = operation(v)
        if out.data - function(x) > 1e-4:
            return "value"
        out.backward()
        if v.grad - slope(function, x) > 1e-4:
            return "gradient"
    return "right"
