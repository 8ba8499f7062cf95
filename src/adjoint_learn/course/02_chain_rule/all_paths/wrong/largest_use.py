"""You keep the largest contribution. A nudge reaches the result through all uses at once, so their contributions add
up."""


def gradient(uses):
    return max((a * b for a, b in uses), default=0.0, key=abs)
