"""You nudge all inputs together, and so each slope is the sum of all. Nudge one input and leave the others where
they are."""


def partials(f, inputs):
    h = 1e-5
    up, down = [x + h for x in inputs], [x - h for x in inputs]
    return [(f(*up) - f(*down)) / (2 * h) for _ in inputs]
