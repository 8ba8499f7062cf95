"""You look at the gradient first. An operation that computes the wrong function has another slope as well, so you
blame its rule, which may be fine. Compare the values first."""

from engine import Value


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def verdict(operation, function):
    for x in (-1.7, -0.6, 0.4, 1.0, 1.9):
        v = Value(x)
        out = operation(v)
        out.backward()
        if abs(v.grad - slope(function, x)) > 1e-4:
            return "gradient"
        if abs(out.data - function(x)) > 1e-4:
            return "value"
    return "right"
