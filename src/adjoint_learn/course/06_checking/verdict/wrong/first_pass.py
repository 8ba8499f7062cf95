"""You return "right" in the first pass of the loop, so only the first point is tested. Return "right" after the
loop, when all points have passed."""

from engine import Value


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def verdict(operation, function):
    for x in (-1.7, -0.6, 0.4, 1.0, 1.9):
        v = Value(x)
        out = operation(v)
        if abs(out.data - function(x)) > 1e-4:
            return "value"
        out.backward()
        if abs(v.grad - slope(function, x)) > 1e-4:
            return "gradient"
        return "right"
