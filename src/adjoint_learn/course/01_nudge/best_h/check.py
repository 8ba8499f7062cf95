import math

CANDIDATES = [float(f"1e-{n}") for n in range(1, 13)]


def check(check, learner):
    # The central difference of x³ is too large by h², and that of −x³ is too small by h².
    for name, f, exact in (("x³", lambda x: x**3, 3.0), ("−x³", lambda x: -(x**3), -3.0)):
        got = learner.best_h(f, 1.0, exact, [0.5, 0.01])
        _compare(check, f"best_h({name}, 1.0, {exact:g}, [0.5, 0.01])", got, f, 1.0, exact, [0.5, 0.01])
    got = learner.best_h(math.sin, 1.0, math.cos(1.0), [1e-4, 1e-13])
    _compare(check, "best_h(sin, 1.0, cos(1.0), [1e-4, 1e-13])", got, math.sin, 1.0, math.cos(1.0), [1e-4, 1e-13])
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
    """Claim that no other candidate is much better. A central difference may be rounded in more than one way."""

    def error(h):
        return abs((f(x + h) - f(x - h)) / (2 * h) - exact)

    if got not in candidates:
        check.equal(what, got, min(candidates, key=error), because="It must be one of the candidates.")
    smallest = min(map(error, candidates))
    if error(got) > 10 * smallest:
        because = f"Its error is {error(got):.1e}, and the smallest error is {smallest:.1e}."
        check.equal(what, got, min(candidates, key=error), because=because)
    check.held += 1
