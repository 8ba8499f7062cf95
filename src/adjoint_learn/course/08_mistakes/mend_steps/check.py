REASONS = {
    "forgotten": "Is there a gradient left from the step before?",
    "too_late": "Follow the gradient: where is it computed, where is it set to 0, where is it used?",
    "rebound": "Print `w.data` in the loop. Does `p = ...` change `w`?",
}
LINE = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]


def check(check, learner):
    for name, reason in REASONS.items():
        loop = getattr(learner, name)
        for steps in (1, 2):
            hint = "" if name == "forgotten" and steps == 1 else reason
            check.close(
                f"{name}(line, 0.1, {steps})",
                loop(LINE, 0.1, steps),
                descend(LINE, 0.1, steps),
                because=f"These are w and b after {steps} step{'s' * (steps > 1)}. {hint}",
            )
        for _ in range(3):
            points = [(round(check.random.uniform(-1, 1), 2), round(check.random.uniform(-3, 3), 2)) for _ in range(4)]
            check.close(f"{name}({points}, 0.05, 7)", loop(points, 0.05, 7), descend(points, 0.05, 7), because=reason)
        check.close(f"{name}(line, 0.1, 100)", loop(LINE, 0.1, 100), [2.0, 1.0], tolerance=0.01)
        check.note(f"`{name}` finds w = 2 and b = 1")


def descend(points, rate, steps):
    """Return w and b after steps of gradient descent, with derivatives from paper."""
    w = b = 0.0
    for _ in range(steps):
        errors = [(x, w * x + b - y) for x, y in points]
        w, b = w - rate * sum(2 * e * x for x, e in errors), b - rate * sum(2 * e for _, e in errors)
    return [w, b]
