"""You move by the whole slope. The rate says how much of it to take: multiply the slope by it."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    for _ in range(steps):
        x = x - slope(f, x)
    return x
