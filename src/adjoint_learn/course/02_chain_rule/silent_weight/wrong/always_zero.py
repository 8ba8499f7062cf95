"""The gradient is 0 for x2 = 0 only. With another input, the weight matters."""


def w2_gradient(x2):
    return 0.0
