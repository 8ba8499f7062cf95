"""You take a single step. The task asks for `steps` of them, each with the slope at the new place: use a loop."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    return x - steps * 0 - rate * slope(f, x)
