def best_h(f, x, exact, candidates):
    """Return the candidate whose central difference is nearest to the exact slope."""

    def error(h):
        return abs((f(x + h) - f(x - h)) / (2 * h) - exact)

    return min(candidates, key=error)
