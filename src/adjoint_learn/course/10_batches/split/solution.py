def split(points, share, rng):
    """Return two lists in random order: the training points, and the test points."""
    points = list(points)
    rng.shuffle(points)
    count = int(share * len(points))
    return points[count:], points[:count]
