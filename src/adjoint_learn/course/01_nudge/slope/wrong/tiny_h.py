"""Your nudge is so small that the two results have nearly all digits in common, and their difference is mostly
rounding. Take a larger h, such as 1e-5."""


def slope(f, x):
    h = 1e-13
    return (f(x + h) - f(x - h)) / (2 * h)
