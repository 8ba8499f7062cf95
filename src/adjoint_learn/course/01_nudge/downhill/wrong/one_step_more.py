"""Your loop runs once more than `steps`: `range(steps + 1)` counts 0 too."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    for _ in range(steps + 1):
        x = x - rate * slope(f, x)
    return x
