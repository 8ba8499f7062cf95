"""You return the height at the end of the walk. Return the place, x, where it ends."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    for _ in range(steps):
        x = x - rate * slope(f, x)
    return f(x)
