"""You walk along the slope, which leads up. Subtract instead of adding to walk down."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    for _ in range(steps):
        x = x + rate * slope(f, x)
    return x
