"""`range` and loops count whole numbers. An exponent may be 0.5 or −1: write the power with `**`."""


def power_slope(x, n):
    result = n
    for _ in range(int(n) - 1):
        result = result * x
    return result
