"""You compute the new place under another name and never go there: each round starts at the same x. Assign to
`x`."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    new = x
    for _ in range(steps):
        new = x - rate * slope(f, x)
    return new
