"""You compare the operation with nudges of itself. An operation that computes the wrong function, and differentiates
that one correctly, passes such a test. Compare with `function`, and compare the values too."""

from engine import Value


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def verdict(operation, function):
    for x in (-1.7, -0.6, 0.4, 1.0, 1.9):
        v = Value(x)
        operation(v).backward()
        if abs(v.grad - slope(lambda x: operation(Value(x)).data, x)) > 1e-4:
            return "gradient"
    return "right"
