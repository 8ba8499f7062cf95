"""You compare floats with `==` or `!=`. A central difference is exact to about ten digits and never to the last one,
so every rule looks wrong. Allow a small difference, such as 1e-4."""

from engine import Value


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def verdict(operation, function):
    for x in (-1.7, -0.6, 0.4, 1.0, 1.9):
        v = Value(x)
        out = operation(v)
        if out.data != function(x):
            return "value"
        out.backward()
        if v.grad != slope(function, x):
            return "gradient"
    return "right"
