def power_slope(x, n):
    """Return the slope of x**n at x."""
    return None  # TODO: find the formula
