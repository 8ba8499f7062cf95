"""You add up the gradients and the local derivatives separately, and multiply the two sums. Each local derivative
belongs to its own result: multiply the pairs first, then add."""


def gradient(uses):
    return sum(a for a, _ in uses) * sum(b for _, b in uses)
