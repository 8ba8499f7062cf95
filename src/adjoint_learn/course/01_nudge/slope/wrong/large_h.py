"""Your nudge is so large that the curve bends within it. Take a smaller h, such as 1e-5."""


def slope(f, x):
    h = 0.1
    return (f(x + h) - f(x - h)) / (2 * h)
