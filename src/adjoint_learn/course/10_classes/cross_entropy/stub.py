def cross_entropy(scores, target):
    """Return minus the logarithm of the softmax probability of the class `target`, as a Value."""
    return None  # TODO: log of the sum of powers, minus the correct score
