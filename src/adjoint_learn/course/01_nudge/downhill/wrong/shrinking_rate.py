"""Your rate becomes smaller in each step. The steps shrink by themselves, because the slope does: keep the rate as
it is."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    for i in range(steps):
        x = x - rate / (i + 1) * slope(f, x)
    return x
