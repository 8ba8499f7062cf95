from engine import Value


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def verdict(operation, function):
    """Return "value", "gradient" or "right": what is wrong with an operation, if anything."""
    return None  # TODO: compare values and gradients at several points
