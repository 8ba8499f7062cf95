"""Your function returns e for every slope. e belongs to the slope 1 alone: use the argument."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def find_base(slope_at_zero):
    """Return the base b for which b**x has this slope at 0; the base is between 1 and 10."""
    slope_at_zero = 1.0
    low, high = 1.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        if slope(lambda x, b=middle: b**x, 0.0) > slope_at_zero:
            high = middle
        else:
            low = middle
    return middle
