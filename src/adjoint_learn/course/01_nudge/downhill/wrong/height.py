"""You subtract the height f(x) instead of the slope. How high you stand does not tell you which way is down."""


def downhill(f, x, rate, steps):
    for _ in range(steps):
        x = x - rate * f(x)
    return x
