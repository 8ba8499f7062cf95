"""You look for the place of an input by its value. If two inputs are equal, you find the first one twice, and the
second one is never nudged. Count the places with `range(len(inputs))`."""


def partials(f, inputs):
    h = 1e-5
    slopes = []
    for x in inputs:
        i = inputs.index(x)
        up, down = list(inputs), list(inputs)
        up[i] += h
        down[i] -= h
        slopes.append((f(*up) - f(*down)) / (2 * h))
    return slopes
