"""You shift only the numerator: the sum below has the powers of the original scores. Shift all scores first, and use
them in both places."""

import math


def softmax(scores):
    largest = max(scores)
    total = sum(math.exp(score) for score in scores)
    return [math.exp(score - largest) / total for score in scores]
