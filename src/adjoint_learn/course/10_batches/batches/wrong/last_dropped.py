"""The last, shorter batch is missing, so some points are never used in this epoch."""


def batches(count, size, rng):
    order = list(range(count))
    rng.shuffle(order)
    return [order[i * size : (i + 1) * size] for i in range(count // size)]
