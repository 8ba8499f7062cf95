import math


def softmax(scores):
    """Return a probability for each score: positive numbers that sum to 1."""
    largest = max(scores)
    powers = [math.exp(score - largest) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]
