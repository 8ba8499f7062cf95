"""You test at 1 only. There 3·x and 3·x² are both 3, and many other wrong rules agree with the right one. Use
several points, and not the most convenient ones."""

from engine import Value


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def verdict(operation, function):
    for x in (1.0,):
        v = Value(x)
        out = operation(v)
        if abs(out.data - function(x)) > 1e-4:
            return "value"
        out.backward()
        if abs(v.grad - slope(function, x)) > 1e-4:
            return "gradient"
    return "right"
