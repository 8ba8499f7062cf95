from engine import Value


def check(check, learner):
    examples = [(3.0, 2.0, 10.0, 0.1)]
    for _ in range(5):
        w, x, y = (round(check.random.uniform(-3, 3), 2) for _ in range(3))
        examples.append((w, x, y, round(check.random.uniform(0.01, 0.1), 3)))
    for w, x, y, rate in examples:
        check.close(
            f"leftover({w:g}, {x:g}, {y:g}, {rate:g})",
            learner.leftover(w, x, y, rate),
            without_reset(w, x, y, rate),
            because="That is what your own engine gives.",
        )
    check.note("the best w is 5; w goes 3, 4.6, 6.52, 7.224: past it, and on")


def without_reset(w, x, y, rate):
    """Run the loop with the learner's engine, and return w.grad after each backward()."""
    weight, seen = Value(w), []
    for _ in range(3):
        loss = (weight * x - y) ** 2
        loss.backward()
        seen.append(weight.grad)
        weight.data -= rate * weight.grad
    return seen
