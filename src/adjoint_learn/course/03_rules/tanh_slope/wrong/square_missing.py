"""1 − t is right at 0 and at 1 only. At t = 0.7616 it is 0.24, and the table says 0.42: which power of t is
missing?"""


def tanh_slope(t):
    return 1 - t
