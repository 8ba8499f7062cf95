"""You return all candidates, sorted. Only the first one is asked for."""


def best_h(f, x, exact, candidates):
    return sorted(candidates, key=lambda h: abs((f(x + h) - f(x - h)) / (2 * h) - exact))
