def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    """Return the place that is reached by a number of steps against the slope of f."""
    return None  # TODO: move x, again and again
