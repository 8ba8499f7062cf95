from engine import Value

from adjoint_learn.nodes import parents_first

XOR = {(0.0, 0.0): 0.0, (0.0, 1.0): 1.0, (1.0, 0.0): 1.0, (1.0, 1.0): 0.0}


def check(check, learner):
    got = []
    for x1, x2 in XOR:
        inputs = Value(x1), Value(x2)
        result = learner.fold(*inputs)
        check.true("`fold(x1, x2)` should return a Value", isinstance(result, Value), got=result)
        got.append(result.data)
    for (x1, x2), number, target in zip(XOR, got, XOR.values()):
        if abs(number - target) > 1e-6:
            shown = ", ".join(f"{n:g}" for n in got)
            check.fail(
                f"At ({x1:g}, {x2:g}) it is {number:g}, and should be {target:g}. Your four results: {shown}.", got
            )
    check.held += 1
    inputs = Value(0.3), Value(0.9)
    result = learner.fold(*inputs)
    check.equal(
        "the number of products of two inputs", products(result, inputs), 0, because="Multiply by numbers only."
    )
    lost = [name for name, x in zip(("x1", "x2"), inputs) if not any(node is x for node in parents_first(result))]
    if lost:
        check.fail(
            f"At (0.3, 0.9) the graph of the result does not contain `{lost[0]}`. Compute with the Values themselves: "
            "with `.data`, or with an `if` that returns a fixed number, no gradient finds its way back.",
            "lost",
        )
    bends = count_relus(learner.fold)
    curved = sum(abs(bending(check, learner.fold)) > 1e-9 for _ in range(20)) >= 10
    if not 1 <= bends <= 2:
        kind = "curved" if curved else "straight"
        check.fail(f"Use `relu()` for the bends, once or twice. You call it {bends} times.", [bends > 2, kind])
    check.true("Between the bends the result should be straight: use only sums and products with numbers.", not curved)
    result.backward()
    check.true(
        "The gradients of both inputs should arrive: at (0.3, 0.9) a nudge of each changes the result.",
        all(abs(x.grad) > 0.5 for x in inputs),
    )
    check.note("two bends are enough for XOR; one straight line is not")


def count_relus(fold):
    """Return how often a call uses `relu()`."""
    relu, calls = Value.relu, []
    Value.relu = lambda self: calls.append(self) or relu(self)
    try:
        fold(Value(0.3), Value(0.9))
    finally:
        Value.relu = relu
    return len(calls)


def bending(check, fold, h=0.01):
    """Return the second difference of the learner's function at a random point, in direction of x1."""
    x1, x2 = check.random.uniform(0, 1), check.random.uniform(0, 1)
    low, middle, high = (fold(Value(x1 + step), Value(x2)).data for step in (-h, 0.0, h))
    return low - 2 * middle + high


def products(result, inputs):
    """Return how many nodes multiply two Values that depend on the inputs."""
    depends = {id(x) for x in inputs}
    found = 0
    for node in parents_first(result):
        from_inputs = [id(parent) in depends for parent in node._prev]
        if any(from_inputs):
            depends.add(id(node))
        found += len(from_inputs) == 2 and all(from_inputs) and node._op == "*"
    return found
