"""You take the rate with the best single curve. One lucky seed does not make a rate good: look at the worst seed of
each rate, because the next start may be that one."""


def choose(curves):
    return min(curves, key=lambda rate: min(curve[-1] for curve in curves[rate]))
