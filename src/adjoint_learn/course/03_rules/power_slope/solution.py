def power_slope(x, n):
    """Return the slope of x**n at x."""
    return n * x ** (n - 1)
