"""Your formula is right, and the computer cannot evaluate it: e to the power of 1000 has 435 digits, more than a float
can hold. Shift all scores so that the largest becomes 0; the probabilities stay the same."""

import math


def softmax(scores):
    powers = [math.exp(score) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]
