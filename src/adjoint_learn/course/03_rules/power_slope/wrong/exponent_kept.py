"""You multiply by n, and keep the exponent: for x³ at 2 that is 3·8. The table says 3·4. Which power of 2 is 4?"""


def power_slope(x, n):
    return n * x**n
