"""You return the smallest error. The question is which h has it."""


def best_h(f, x, exact, candidates):
    return min(abs((f(x + h) - f(x - h)) / (2 * h) - exact) for h in candidates)
