"""This is what the wrong rule gives. Subtract the right slope, 3·x²."""

lucky = 1.0
unlucky = 2.0


def disagreement(x):
    return abs(3 * x**3)
