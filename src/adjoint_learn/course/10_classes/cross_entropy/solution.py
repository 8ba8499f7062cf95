def cross_entropy(scores, target):
    """Return minus the logarithm of the softmax probability of the class `target`, as a Value."""
    largest = max(score.data for score in scores)
    shifted = [score - largest for score in scores]
    total = sum(z.exp() for z in shifted)
    return total.log() - shifted[target]
