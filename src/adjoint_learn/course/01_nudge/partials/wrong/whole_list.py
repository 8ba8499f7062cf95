"""You call f with the list as its only argument. f takes one number for each input: write `f(*inputs)`, with a star."""


def partials(f, inputs):
    h = 1e-5
    slopes = []
    for i in range(len(inputs)):
        up, down = list(inputs), list(inputs)
        up[i] += h
        down[i] -= h
        slopes.append((f(up) - f(down)) / (2 * h))
    return slopes
