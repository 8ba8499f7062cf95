"""At this place both formulas give the same number, so it cannot show that one of them is wrong."""

lucky = 1.0
unlucky = 0.0


def disagreement(x):
    return abs(3 * x**3 - 3 * x**2)
