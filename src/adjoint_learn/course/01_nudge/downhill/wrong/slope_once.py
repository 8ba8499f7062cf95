"""You compute the slope once, before the loop. The slope belongs to a place: compute it again after each step, at
the new x."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    s = slope(f, x)
    for _ in range(steps):
        x = x - rate * s
    return x
