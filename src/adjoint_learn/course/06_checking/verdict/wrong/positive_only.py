"""You test positive numbers only. Mistakes with signs and absolute values show only at negative numbers. Add some."""

from engine import Value


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def verdict(operation, function):
    for x in (0.3, 0.7, 1.0, 1.5, 1.9):
        v = Value(x)
        out = operation(v)
        if abs(out.data - function(x)) > 1e-4:
            return "value"
        out.backward()
        if abs(v.grad - slope(function, x)) > 1e-4:
            return "gradient"
    return "right"
