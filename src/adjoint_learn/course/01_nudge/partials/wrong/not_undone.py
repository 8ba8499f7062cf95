"""The nudges of the earlier inputs are still there when you nudge the next one: the two results differ by more than
one nudge. Start from the original inputs each time."""


def partials(f, inputs):
    h = 1e-5
    slopes, up = [], list(inputs)
    for i in range(len(inputs)):
        up[i] += h
        down = list(inputs)
        down[i] -= h
        slopes.append((f(*up) - f(*down)) / (2 * h))
    return slopes
