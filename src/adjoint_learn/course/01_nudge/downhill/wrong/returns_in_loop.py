"""You take a single step: the `return` is inside of the loop and ends the function in the first round. Return after
the loop."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    for _ in range(steps):
        x = x - rate * slope(f, x)
        return x
    return x
