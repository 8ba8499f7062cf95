"""Your walk has one step too few: with `steps` = 1 it does not move at all. `range(1, steps)` starts at 1 and ends
before `steps`; `range(steps)` has as many rounds as it says."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    for _ in range(1, steps):
        x = x - rate * slope(f, x)
    return x
