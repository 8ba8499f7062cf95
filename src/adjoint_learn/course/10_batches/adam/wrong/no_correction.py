"""The correction is missing. Both means start at 0, so in the first steps they are too small: divide m by 1 −
0.9^step and v by 1 − 0.999^step."""

import math


def adam(params, grads, ms, vs, step, rate):
    ms = [0.9 * m + 0.1 * g for m, g in zip(ms, grads)]
    vs = [0.999 * v + 0.001 * g**2 for v, g in zip(vs, grads)]
    moved = []
    for p, m, v in zip(params, ms, vs):
        moved.append(p - rate * m / (math.sqrt(v) + 1e-8))
    return moved, ms, vs
