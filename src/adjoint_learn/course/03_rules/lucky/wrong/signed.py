"""Below 1 your number is negative. How far two rules are apart has no sign: use `abs`."""

lucky = 1.0
unlucky = 2.0


def disagreement(x):
    return 3 * x**3 - 3 * x**2
