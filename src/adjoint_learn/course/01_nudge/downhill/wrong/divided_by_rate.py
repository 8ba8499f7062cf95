"""You divide by the rate. A small rate then gives a large step. Multiply by it."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    for _ in range(steps):
        x = x - slope(f, x) / rate
    return x
