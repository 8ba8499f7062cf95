"""The wrong rule is wrong at your lucky place. Set 3·x³ = 3·x² and divide by what both sides have."""

lucky = 2.0
unlucky = 3.0


def disagreement(x):
    return abs(3 * x**3 - 3 * x**2)
