"""You use the global random generator. Use `rng`, so that a run can be repeated."""

import random


def batches(count, size, rng):
    order = list(range(count))
    random.shuffle(order)
    return [order[i : i + size] for i in range(0, count, size)]
