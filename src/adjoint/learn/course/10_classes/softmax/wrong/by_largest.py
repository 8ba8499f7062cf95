"""You divide by the largest power, so the best class always gets 1 and the results do not sum to 1. Divide by the sum
of all powers."""

import math


def softmax(scores):
    largest = max(scores)
    return [math.exp(score - largest) for score in scores]
