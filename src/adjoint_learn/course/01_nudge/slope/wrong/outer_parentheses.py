"""Python divides before it subtracts, so only the second result is divided. Put the difference into parentheses of
its own."""


def slope(f, x):
    h = 1e-5
    return f(x + h) - f(x - h) / (2 * h)
