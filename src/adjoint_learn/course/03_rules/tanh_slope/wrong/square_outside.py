"""You square the difference: (1 − t)². Only t is squared: 1 − t²."""


def tanh_slope(t):
    return (1 - t) ** 2
