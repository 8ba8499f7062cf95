CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]
AND = [False, False, False, True]
XOR = [False, True, True, False]
OR = [False, True, True, True]


def check(check, learner):
    for weights, name, targets in (
        ((1.0, 1.0, -0.5), "OR", OR),
        ((1.0, 1.0, -1.5), "AND", AND),
        ((1.0, 1.0, -1.0), "AND", AND),
        ((-1.0, -1.0, 1.5), "AND", AND),
    ):
        check.close(
            f"correct({', '.join(f'{w:g}' for w in weights)}, {name})",
            learner.correct(*weights, targets),
            count(weights, targets),
        )
    for _ in range(20):
        weights = tuple(round(check.random.uniform(-2, 2), 1) for _ in range(3))
        targets = [check.random.random() < 0.5 for _ in range(4)]
        check.close(f"correct{weights} with {targets}", learner.correct(*weights, targets), count(weights, targets))
    for name, targets, most in (("and_weights", AND, 4), ("xor_weights", XOR, 3)):
        weights = getattr(learner, name)
        weights = weights.tolist() if hasattr(weights, "tolist") else weights
        check.true(
            f"`{name}` should be three numbers",
            isinstance(weights, tuple | list)
            and len(weights) == 3
            and all(isinstance(w, int | float) for w in weights),
            got=weights,
        )
        got = count(weights, targets)
        if got != most:
            answers = ", ".join(f"{corner}: {'yes' if yes else 'no'}" for corner, yes in zip(CORNERS, says(weights)))
            check.fail(
                f"`{name}` gets {got} corners right, and should get {most}. It says {answers}.", [name, *says(weights)]
            )
        check.held += 1
    check.note("4 of 4 for AND; 3 of 4 for XOR, and no line gets more")


def says(weights):
    w1, w2, b = weights
    return [w1 * x1 + w2 * x2 + b > 0 for x1, x2 in CORNERS]


def count(weights, targets):
    return sum(yes == target for yes, target in zip(says(weights), targets))
