"""You draw each batch anew, so that some points come twice in an epoch and others never. Shuffle once and cut."""


def batches(count, size, rng):
    sizes = [min(size, count - i) for i in range(0, count, size)]
    return [rng.sample(range(count), n) for n in sizes]
