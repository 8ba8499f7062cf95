"""Your slopes are right, but the list that you were given has changed, and the caller does not expect that. Nudge a
copy of the list."""


def partials(f, inputs):
    h = 1e-5
    slopes = []
    for i in range(len(inputs)):
        inputs[i] += h
        up = f(*inputs)
        inputs[i] -= 2 * h
        down = f(*inputs)
        slopes.append((up - down) / (2 * h))
    return slopes
