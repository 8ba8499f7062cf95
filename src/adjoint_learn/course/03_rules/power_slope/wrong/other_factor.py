"""Your factor is n − 1 and the exponent is n: they are the wrong way round."""


def power_slope(x, n):
    return (n - 1) * x**n
