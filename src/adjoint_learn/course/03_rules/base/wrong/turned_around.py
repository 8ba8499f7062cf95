"""You keep the wrong half. If the middle is too steep, the base is *below* it: `high = middle`."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def find_base(slope_at_zero):
    """Return the base b for which b**x has this slope at 0; the base is between 1 and 10."""
    low, high = 1.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        if slope(lambda x, b=middle: b**x, 0.0) > slope_at_zero:
            low = middle
        else:
            high = middle
    return middle
