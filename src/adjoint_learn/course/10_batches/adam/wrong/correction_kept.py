"""You return the corrected means. The correction is for this step only: if it is stored, the next step corrects it
again."""

import math


def adam(params, grads, ms, vs, step, rate):
    ms = [0.9 * m + 0.1 * g for m, g in zip(ms, grads)]
    vs = [0.999 * v + 0.001 * g**2 for v, g in zip(vs, grads)]
    moved, kept_m, kept_v = [], [], []
    for p, m, v in zip(params, ms, vs):
        m, v = m / (1 - 0.9**step), v / (1 - 0.999**step)
        kept_m.append(m)
        kept_v.append(v)
        moved.append(p - rate * m / (math.sqrt(v) + 1e-8))
    return moved, kept_m, kept_v
