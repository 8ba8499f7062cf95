lucky = 1.0
unlucky = 2.0


def disagreement(x):
    """Return by how much 3x³ differs from the slope of x³ at x."""
    return abs(3 * x**3 - 3 * x**2)
