lucky = None  # TODO: a place where 3x³ is the slope of x³
unlucky = None  # TODO: a place where it is not


def disagreement(x):
    """Return by how much 3x³ differs from the slope of x³ at x."""
    return None  # TODO
