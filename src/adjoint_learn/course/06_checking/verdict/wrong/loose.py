"""You allow a difference of 0.1, so a rule that is rounded to one digit passes. A correct rule agrees with nudges to
many digits: allow about 1e-4."""

from engine import Value


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def verdict(operation, function):
    for x in (-1.7, -0.6, 0.4, 1.0, 1.9):
        v = Value(x)
        out = operation(v)
        if abs(out.data - function(x)) > 0.1:
            return "value"
        out.backward()
        if abs(v.grad - slope(function, x)) > 0.1:
            return "gradient"
    return "right"
