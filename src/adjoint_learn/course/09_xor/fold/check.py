from engine import Value

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
    bends = count_relus(learner.fold)
    check.true(f"Use `relu()` for the bends, at most twice. You call it {bends} times.", 1 <= bends <= 2)
    curved = sum(abs(bending(check, learner.fold)) > 1e-9 for _ in range(20))
    check.true("Between the bends the result should be straight: use only sums and products with numbers.", curved < 10)
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
    order, seen, todo = [], set(), [(result, False)]
    while todo:
        node, parents_done = todo.pop()
        if parents_done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            todo.append((node, True))
            todo.extend((parent, False) for parent in node._prev)
    depends = {id(x) for x in inputs}
    found = 0
    for node in order:
        from_inputs = [id(parent) in depends for parent in node._prev]
        if any(from_inputs):
            depends.add(id(node))
        found += len(from_inputs) == 2 and all(from_inputs) and node._op == "*"
    return found
