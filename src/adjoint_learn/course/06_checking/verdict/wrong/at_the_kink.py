"""You test at 0, where the relu has a kink. To the left its slope is 0 and to the right it is 1; the nudges give
0.5, and that is no mistake of the rule. Avoid points with a kink."""

from engine import Value


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def verdict(operation, function):
    for x in (-2.0, -1.0, 0.0, 1.0, 2.0):
        v = Value(x)
        out = operation(v)
        if abs(out.data - function(x)) > 1e-4:
            return "value"
        out.backward()
        if abs(v.grad - slope(function, x)) > 1e-4:
            return "gradient"
    return "right"
