"""You lower the exponent, and the factor is missing. Look at the column at 1: there the slope is n."""


def power_slope(x, n):
    return x ** (n - 1)
