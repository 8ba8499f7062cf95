"""You apply tanh to t. But t is the output of tanh already."""

import math


def tanh_slope(t):
    return 1 - math.tanh(t) ** 2
