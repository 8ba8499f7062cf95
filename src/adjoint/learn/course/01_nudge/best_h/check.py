import math

CANDIDATES = [10.0**-n for n in range(1, 13)]


def check(check, learner):
    best = learner.best_h(math.sin, 1.0, math.cos(1.0), CANDIDATES)
    _compare(check, "best_h(sin, 1.0, cos(1.0), ...)", best, math.sin, 1.0, math.cos(1.0), CANDIDATES)
    backward = learner.best_h(math.sin, 1.0, math.cos(1.0), CANDIDATES[::-1])
    check.equal("best_h with the candidates in reverse order", backward, best)
    for name, f, slope in (
        ("exp", math.exp, math.exp),
        ("x**3", lambda x: x**3, lambda x: 3 * x**2),
        ("log", math.log, lambda x: 1 / x),
    ):
        for _ in range(5):
            x = round(check.random.uniform(0.5, 3), 3)
            some = check.random.sample(CANDIDATES, 6)
            got = learner.best_h(f, x, slope(x), some)
            _compare(check, f"best_h({name}, {x}, ...)", got, f, x, slope(x), some)
    check.note(f"for the sine at 1 you found {best:g}")


def _compare(check, what, got, f, x, exact, candidates):
    """Claim that no other candidate has a smaller error. Candidates with equal errors are all right."""

    def error(h):
        return abs((f(x + h) - f(x - h)) / (2 * h) - exact)

    if got not in candidates:
        check.equal(what, got, min(candidates, key=error), because="It must be one of the candidates.")
    smallest = min(map(error, candidates))
    if error(got) > smallest * (1 + 1e-9):
        because = f"Its error is {error(got):.1e}, and the smallest error is {smallest:.1e}."
        check.equal(what, got, min(candidates, key=error), because=because)
    check.held += 1
