def slope(f, x):
    """Return the derivative of f at x."""
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)
