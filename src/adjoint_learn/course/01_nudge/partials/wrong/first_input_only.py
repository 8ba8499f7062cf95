"""Your list has one slope. The `return` is inside of the loop, which ends in its first round: return after the
loop."""


def partials(f, inputs):
    h = 1e-5
    slopes = []
    for i in range(len(inputs)):
        up, down = list(inputs), list(inputs)
        up[i] += h
        down[i] -= h
        slopes.append((f(*up) - f(*down)) / (2 * h))
        return slopes
