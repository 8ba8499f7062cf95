"""You measure the slope at 1. It is b·log b there; the task asks for the place 0."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def find_base(slope_at_zero):
    """Return the base b for which b**x has this slope at 0; the base is between 1 and 10."""
    low, high = 1.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        if slope(lambda x, b=middle: b**x, 1.0) > slope_at_zero:
            high = middle
        else:
            low = middle
    return middle
