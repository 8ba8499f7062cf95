"""You shuffle the list of the caller. Other lists that belong to it, such as the targets, keep the old order.
Shuffle a copy."""


def split(points, share, rng):
    rng.shuffle(points)
    count = int(share * len(points))
    return points[count:], points[:count]
