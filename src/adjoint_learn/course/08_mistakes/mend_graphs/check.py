from math import tanh

REASONS = {
    "kept": "From the second step on, what else is in the graph of `loss`?",
    "repeated": "How often does `backward()` run in one step?",
    "too_early": "At the moment of the step, which gradients are in `p.grad`?",
}
LINE = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]
CURVE = [(-2.0, -0.8), (-0.5, -0.4), (1.0, 0.9), (3.0, 0.7)]


def check(check, learner):
    for name, reason in REASONS.items():
        loop = getattr(learner, name)
        expected, points, shown = (bend, CURVE, "curve") if name == "too_early" else (descend, LINE, "line")
        # One step of the stub of `too_early` moves nothing, like a late reset: two steps tell them apart.
        for steps in (2, 1) if name == "too_early" else (1, 2):
            hint = "" if name == "kept" and steps == 1 else reason
            check.close(
                f"{name}({shown}, 0.05, {steps})",
                loop(points, 0.05, steps),
                expected(points, 0.05, steps),
                because=f"These are the two weights after {steps} step{'s' * (steps > 1)}. {hint}",
            )
        for _ in range(3):
            drawn = [(round(check.random.uniform(-1, 1), 2), round(check.random.uniform(-2, 2), 2)) for _ in range(3)]
            check.close(f"{name}({drawn}, 0.05, 6)", loop(drawn, 0.05, 6), expected(drawn, 0.05, 6), because=reason)
        if expected is descend:
            check.close(f"{name}(line, 0.1, 100)", loop(LINE, 0.1, 100), [2.0, 1.0], tolerance=0.01)
    check.note("each step has one graph, one backward() and then the move")


def descend(points, rate, steps):
    """Return w and b of w*x + b after steps of gradient descent, with derivatives from paper."""
    w = b = 0.0
    for _ in range(steps):
        errors = [(x, w * x + b - y) for x, y in points]
        w, b = w - rate * sum(2 * e * x for x, e in errors), b - rate * sum(2 * e for _, e in errors)
    return [w, b]


def bend(points, rate, steps):
    """Return v and w of v*tanh(w*x) after steps of gradient descent, with derivatives from paper."""
    v = w = 0.5
    for _ in range(steps):
        terms = [(x, tanh(w * x), 2 * (v * tanh(w * x) - y)) for x, y in points]
        v, w = (
            v - rate * sum(slope * t for _, t, slope in terms),
            w - rate * sum(slope * v * (1 - t * t) * x for x, t, slope in terms),
        )
    return [v, w]
