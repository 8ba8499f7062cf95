"""The best class always gets 1, so the results do not sum to 1: the shift only divides each power by the largest one.
Divide by the sum of all powers."""

import math


def softmax(scores):
    largest = max(scores)
    return [math.exp(score - largest) for score in scores]
