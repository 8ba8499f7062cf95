"""You return the candidate with the largest error: `max` instead of `min`."""


def best_h(f, x, exact, candidates):
    def error(h):
        return abs((f(x + h) - f(x - h)) / (2 * h) - exact)

    return max(candidates, key=error)
