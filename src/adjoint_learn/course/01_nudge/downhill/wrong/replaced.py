"""You replace x by the step. The new place is the old place minus the step: `x - rate * slope(f, x)`."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    for _ in range(steps):
        x = -rate * slope(f, x)
    return x
