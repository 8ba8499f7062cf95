"""You cut the list as it is. If it is sorted, the test points are of another kind than the training points: shuffle
a copy first."""


def split(points, share, rng):
    count = int(share * len(points))
    return list(points[count:]), list(points[:count])
