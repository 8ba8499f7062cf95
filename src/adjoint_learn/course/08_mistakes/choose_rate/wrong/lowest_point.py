"""You judge a curve by its lowest point. A curve that dips and then climbs has thrown away what it learned: the
network that you keep is the one at the end."""

import math


def choose(curves):
    def worst(rate):
        return max(min(curve) if math.isfinite(curve[-1]) else math.inf for curve in curves[rate])

    return min(curves, key=worst)
