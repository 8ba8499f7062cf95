"""You train on all points, those of the test included. Then the test measures memory."""


def split(points, share, rng):
    points = list(points)
    rng.shuffle(points)
    count = int(share * len(points))
    return points, points[:count]
