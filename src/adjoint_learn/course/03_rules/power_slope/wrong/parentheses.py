"""`n * x**n - 1` takes the power first and then subtracts 1. The exponent is n − 1: it needs parentheses."""


def power_slope(x, n):
    return n * x**n - 1
