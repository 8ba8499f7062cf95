"""Python computes from left to right: `x / 2 * h` divides by 2 and then multiplies by h. Write `/ (2 * h)`."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / 2 * h
