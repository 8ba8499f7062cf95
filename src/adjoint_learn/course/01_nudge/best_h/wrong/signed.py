"""You compare errors with their signs, so that an error of -0.1 counts as smaller than one of 0.001. Compare how
large they are, without the sign."""


def best_h(f, x, exact, candidates):
    return min(candidates, key=lambda h: (f(x + h) - f(x - h)) / (2 * h) - exact)
