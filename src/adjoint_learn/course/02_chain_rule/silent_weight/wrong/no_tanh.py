"""This is the slope of n with respect to w2. The tanh comes after n: multiply by its local derivative, 1 - o²."""


def w2_gradient(x2):
    return x2
