"""You subtract x³, the height of the curve. The wrong rule claims to be the slope, so compare it with the slope,
3·x²."""

lucky = 1.0
unlucky = 2.0


def disagreement(x):
    return abs(3 * x**3 - x**3)
