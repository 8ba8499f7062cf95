"""You shift by the mean. A score can still be far above the mean, and its power overflows. Shift by the number that
leaves no score above 0."""

import math


def softmax(scores):
    """Return a probability for each score: positive numbers that sum to 1."""
    largest = sum(scores) / len(scores)
    powers = [math.exp(score - largest) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]
