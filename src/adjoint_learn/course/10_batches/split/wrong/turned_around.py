"""The two lists are the wrong way round: the training points come first."""


def split(points, share, rng):
    points = list(points)
    rng.shuffle(points)
    count = int(share * len(points))
    return points[:count], points[count:]
