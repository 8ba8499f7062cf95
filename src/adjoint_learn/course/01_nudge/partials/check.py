from adjoint import Value


def exact(f, inputs):
    """Return the gradient of adjoint."""
    values = [Value(x) for x in inputs]
    f(*values).backward()
    return [value.grad for value in values]


def check(check, learner):
    inputs = [2.0, -3.0, 10.0]
    got = learner.partials(lambda a, b, c: a * b + c, inputs)
    check.close("partials(a*b + c, [2, -3, 10])", got, [-3.0, 2.0, 1.0], tolerance=1e-4)
    because = "Change a copy, not the list itself."
    check.close("inputs after your function", inputs, [2.0, -3.0, 10.0], tolerance=1e-9, because=because)
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
    check.note("13 gradients agree with adjoint's")
