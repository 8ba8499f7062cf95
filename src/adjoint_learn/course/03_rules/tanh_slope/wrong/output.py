"""This is the output itself, or its square. The slope is largest where the output is 0."""


def tanh_slope(t):
    return t**2
