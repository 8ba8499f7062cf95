"""You add up all slopes. The task asks for a list with one slope for each input."""


def partials(f, inputs):
    h = 1e-5
    slopes = []
    for i in range(len(inputs)):
        up, down = list(inputs), list(inputs)
        up[i] += h
        down[i] -= h
        slopes.append((f(*up) - f(*down)) / (2 * h))
    return sum(slopes)
