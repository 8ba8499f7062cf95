"""You return the place of the best candidate in the list. Return the candidate itself."""


def best_h(f, x, exact, candidates):
    errors = [abs((f(x + h) - f(x - h)) / (2 * h) - exact) for h in candidates]
    return errors.index(min(errors))
