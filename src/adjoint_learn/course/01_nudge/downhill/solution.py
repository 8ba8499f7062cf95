def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    """Return the place that is reached by a number of steps against the slope of f."""
    for _ in range(steps):
        x = x - rate * slope(f, x)
    return x
