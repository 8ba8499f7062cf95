TARGETS = {(0.0, 0.0): -1.0, (0.0, 1.0): 1.0, (1.0, 0.0): 1.0, (1.0, 1.0): -1.0}


def check(check, learner):
    for seed in (1, 2, 3):
        model = learner.solve(seed)
        check.true("`solve(seed)` should return the network.", callable(model), got=model)
        outputs = [getattr(model(list(corner)), "data", None) for corner in TARGETS]
        check.true(
            "The network should return one Value for each corner.",
            all(isinstance(output, int | float) for output in outputs),
            got=outputs,
        )
        shown = ", ".join(f"{output:.2f}" for output in outputs)
        if any(abs(output - target) > 0.3 for output, target in zip(outputs, TARGETS.values())):
            check.fail(
                f"From seed {seed} the outputs are {shown}, and should be within 0.3 of −1, 1, 1, −1. "
                "Neurons, rate, steps: which of the three is too small, or too large?",
                reason(model, outputs),
            )
        check.held += 1
        check.note(f"seed {seed}: {shown}")


def reason(model, outputs):
    """Return why a network may have failed: its size, its targets, or its training."""
    layers = getattr(model, "layers", [])
    neurons = [len(getattr(layer, "neurons", [])) for layer in layers]
    if len(neurons) == 1:
        loss = sum((output - target) ** 2 for output, target in zip(outputs, TARGETS.values()))
        return "line" if loss < 4.5 else "untrained line"
    if all(abs(output - (target + 1) / 2) < 0.3 for output, target in zip(outputs, TARGETS.values())):
        return "0 and 1"
    if all(abs(output) > 0.7 for output in outputs):
        yes = [output > 0 for output in outputs]
        return "saturated" if min(map(abs, outputs)) > 0.995 else ["gate", *yes]
    return "unfinished"
