from adjoint import Value


def exact(f, inputs):
    """Return the gradient of adjoint."""
    values = [Value(x) for x in inputs]
    f(*values).backward()
    return [value.grad for value in values]


def others_stay(check, learner):
    """Claim that only one input is nudged at a time."""
    inputs, calls = [2.0, -3.0, 10.0], []

    def watched(a, b, c):
        calls.append((a, b, c))
        return a * b + c

    learner.partials(watched, list(inputs))
    for call in calls:
        moved = [i for i, (x, at) in enumerate(zip(inputs, call)) if abs(x - at) > 1e-9]
        if len(moved) > 1:
            at = ", ".join(f"{x:.6g}" for x in call)
            check.fail(
                f"`partials(f, [2.0, -3.0, 10.0])` calls `f({at})`. There, the inputs with the indices {moved} are "
                "nudged at the same time: the nudge of one must be undone before the next one.",
                ["together", moved],
            )
    check.held += 1


def check(check, learner):
    inputs = [2.0, -3.0, 10.0]
    got = learner.partials(lambda a, b, c: a * b + c, inputs)
    check.close("partials(a*b + c, [2, -3, 10])", got, [-3.0, 2.0, 1.0], tolerance=1e-4)
    because = "Change a copy, not the list itself."
    check.close("inputs after your function", inputs, [2.0, -3.0, 10.0], tolerance=1e-9, because=because)
    others_stay(check, learner)
    got = learner.partials(lambda a, b, c: a * a * b + c, [2.0, 2.0, 2.0])
    check.close("partials(a*a*b + c, [2, 2, 2])", got, [8.0, 4.0, 1.0], tolerance=1e-4)
    functions = {
        "a*b*c": lambda a, b, c: a * b * c,
        "a*a + b": lambda a, b: a * a + b,
        "(a - b)**2 / c": lambda a, b, c: (a - b) ** 2 / c,
        "a**3": lambda a: a**3,
    }
    for name, f in functions.items():
        for _ in range(3):
            inputs = [round(check.random.uniform(0.5, 2.0), 2) for _ in range(f.__code__.co_argcount)]
            got = learner.partials(f, inputs)
            check.close(f"partials({name}, {inputs})", got, exact(f, inputs), tolerance=1e-4)
    check.note("14 gradients agree with adjoint's")
