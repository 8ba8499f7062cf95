"""Your walk leaves out the steps that lead up. The task asks for all steps, and for the place where they end: a rate
that is too large overshoots, and you should see that it does."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    for _ in range(steps):
        new = x - rate * slope(f, x)
        if f(new) > f(x):
            break
        x = new
    return x
