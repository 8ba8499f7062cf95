"""You have the gradient of n. The tanh comes after it: multiply by its local derivative, 1 - o²."""


def w2_gradient(x2):
    return x2
