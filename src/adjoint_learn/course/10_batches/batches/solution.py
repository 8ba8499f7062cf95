def batches(count, size, rng):
    """Return the numbers below count in a random order, in lists of the given size."""
    order = list(range(count))
    rng.shuffle(order)
    return [order[i : i + size] for i in range(0, count, size)]
