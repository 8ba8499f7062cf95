"""The signs are wrong: subtract the result with the smaller input from the result with the larger one."""


def partials(f, inputs):
    h = 1e-5
    slopes = []
    for i in range(len(inputs)):
        up, down = list(inputs), list(inputs)
        up[i] += h
        down[i] -= h
        slopes.append((f(*down) - f(*up)) / (2 * h))
    return slopes
