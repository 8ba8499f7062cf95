"""The scaled modified functions of Bessel of any order, and their derivatives, in any array library."""

import math


def scaled_bessel(xp, n: float, x):
    """Return the modified Bessel function of the first kind of order n, times exp(-|x|), in a library such as NumPy."""
    size = xp.abs(x)
    low, high = xp.where(size <= 20, size, 1.0), xp.where(size <= 20, 30.0, size)
    term, series = (low / 2) ** n / math.gamma(n + 1) * xp.exp(-low), 0 * low
    for k in range(1, 60):  # the power series: all terms are positive, so that nothing cancels
        series = series + term
        term = term * (low * low) / (4 * k * (k + n))
    term, asymptotic = 1 / xp.sqrt(2 * math.pi * high), 0 / high
    for k in range(1, 26):
        asymptotic = asymptotic + term
        term = -term * (4 * n * n - (2 * k - 1) ** 2) / (8 * k * high)
    found = xp.where(size <= 20, series, xp.where(size == math.inf, 0.0, asymptotic))
    return xp.where((x < 0) & (n % 2 == 1), -found, found)


def scaled_bessel_slope(xp, n: float, x):
    """Return the derivative of `scaled_bessel`."""
    size = xp.abs(x)
    sign = xp.where(x < 0, -1.0, 1.0)
    low, high = xp.where(size <= 20, x, 1.0), xp.where(size <= 20, 30.0, size)
    near = 0.5 * (scaled_bessel(xp, abs(n - 1), low) + scaled_bessel(xp, n + 1, low))
    near = near - xp.sign(low) * scaled_bessel(xp, n, low)
    term, far = 1 / xp.sqrt(2 * math.pi * high), 0 / high  # the terms are powers -1/2 - k: each has its derivative
    for k in range(1, 26):
        far = far - (k - 0.5) * term / high
        term = -term * (4 * n * n - (2 * k - 1) ** 2) / (8 * k * high)
    far = far * (sign if n % 2 == 0 else 1.0)
    return xp.where(size <= 20, near, xp.where(size == math.inf, 0.0 * sign, far))
