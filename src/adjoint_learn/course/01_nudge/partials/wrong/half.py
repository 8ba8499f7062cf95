"""Your slopes are twice too large: the two nudged inputs are 2h apart."""


def partials(f, inputs):
    h = 1e-5
    slopes = []
    for i in range(len(inputs)):
        up, down = list(inputs), list(inputs)
        up[i] += h
        down[i] -= h
        slopes.append((f(*up) - f(*down)) / h)
    return slopes
