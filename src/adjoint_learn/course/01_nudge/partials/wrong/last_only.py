"""You return the slope of the last input alone. Each round replaces the one before: collect the slopes in a list."""


def partials(f, inputs):
    h = 1e-5
    result = None
    for i in range(len(inputs)):
        up, down = list(inputs), list(inputs)
        up[i] += h
        down[i] -= h
        result = (f(*up) - f(*down)) / (2 * h)
    return result
