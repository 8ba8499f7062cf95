"""The slope is never above 1. Subtract t² from 1 instead of adding it."""


def tanh_slope(t):
    return 1 + t**2
