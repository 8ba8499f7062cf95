"""You compare the height f(x + h) with the exact *slope*. Compute the central difference for each candidate, and
compare that."""


def best_h(f, x, exact, candidates):
    return min(candidates, key=lambda h: abs(f(x + h) - exact))
