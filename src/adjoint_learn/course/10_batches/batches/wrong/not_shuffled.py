"""The points come in the order in which they are stored. If they are sorted, a batch contains one kind only. Shuffle
them first."""


def batches(count, size, rng):
    order = list(range(count))
    return [order[i : i + size] for i in range(0, count, size)]
