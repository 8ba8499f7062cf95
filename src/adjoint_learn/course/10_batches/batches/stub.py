def batches(count, size, rng):
    """Return the numbers below count in a random order, in lists of the given size."""
    return None  # TODO: shuffle, and cut
