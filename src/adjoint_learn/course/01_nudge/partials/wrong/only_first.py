"""You return a single number, the slope with respect to the first input. Return a list with one slope for each
input."""


def partials(f, inputs):
    h = 1e-5
    up, down = list(inputs), list(inputs)
    up[0] += h
    down[0] -= h
    return (f(*up) - f(*down)) / (2 * h)
