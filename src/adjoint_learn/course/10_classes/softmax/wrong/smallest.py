"""You shift by the smallest score. Then the other scores become positive, and a distant one such as 1000 still
overflows. Shift by the number that leaves no score above 0."""

import math


def softmax(scores):
    smallest = min(scores)
    powers = [math.exp(score - smallest) for score in scores]
    return [power / sum(powers) for power in powers]
