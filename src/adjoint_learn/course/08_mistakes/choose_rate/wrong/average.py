"""You judge a rate by its average over the seeds. In this example one bad seed is hidden by two very good ones. The
task asks for the worst seed."""

import math


def choose(curves):
    def mean(rate):
        ends = [curve[-1] if math.isfinite(curve[-1]) else math.inf for curve in curves[rate]]
        return sum(ends) / len(ends)

    return min(curves, key=mean)
