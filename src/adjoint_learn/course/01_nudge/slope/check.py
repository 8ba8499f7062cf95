import math

FUNCTIONS = {
    "3x² - 4x + 5": (lambda x: 3 * x**2 - 4 * x + 5, lambda x: 6 * x - 4),
    "x³": (lambda x: x**3, lambda x: 3 * x**2),
    "sin": (math.sin, math.cos),
    "exp": (math.exp, math.exp),
}


def check(check, learner):
    f, _ = FUNCTIONS["3x² - 4x + 5"]
    check.close("slope(3x² - 4x + 5, 3)", learner.slope(f, 3.0), 14.0, tolerance=1e-2)
    check.close("slope(3x² - 4x + 5, 2/3)", learner.slope(f, 2 / 3), 0.0, tolerance=1e-2)
    for x in (3.0, -1.0):
        nudges(check, learner, f, x)
    for name, (f, derivative) in FUNCTIONS.items():
        for x in (3.0, 2 / 3, check.random.uniform(-2, 2)):
            check.close(f"slope({name}, {x:.4g})", learner.slope(f, x), derivative(x), tolerance=1e-5)
    check.note("your slopes of four functions agree with the formulas")


def nudges(check, learner, f, x):
    """Claim that the learner calls f on both sides of x, equally far away."""
    moves = []

    def watched(at):
        moves.append(at - x)
        return f(at)

    learner.slope(watched, x)
    left, right = sorted(-move for move in moves if move < 0), sorted(move for move in moves if move > 0)
    if len(left) == len(right) and all(abs(a - b) <= 1e-3 * b + 1e-15 for a, b in zip(left, right)):
        check.held += 1
        return
    where = ", ".join(f"{x:g} {'+' if move >= 0 else '-'} {abs(move):g}" for move in dict.fromkeys(moves))
    side = "right" if not left else "left" if not right else "unequal"
    check.fail(
        f"`slope(f, {x:g})` calls `f` at {where or 'no place'}. It should nudge in both directions by the same amount.",
        side,
    )
