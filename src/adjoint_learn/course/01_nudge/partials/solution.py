def partials(f, inputs):
    """Return the slope of f with respect to each of its inputs."""
    h = 1e-5
    slopes = []
    for i in range(len(inputs)):
        up, down = list(inputs), list(inputs)
        up[i] += h
        down[i] -= h
        slopes.append((f(*up) - f(*down)) / (2 * h))
    return slopes
