import random
import time

import adjoint
from adjoint import data, nn

POINTS = 50


def check(check, learner):
    from engine import Value  # the learner's

    count = learner.count_nodes
    a, b, c, f = (Value(x) for x in (2.0, -3.0, 10.0, -2.0))
    check.equal("count_nodes((a*b + c) * f)", count((a * b + c) * f), 7, because="Four inputs and three operations.")
    check.equal("count_nodes(a)", count(a), 1, because="An input is a graph of one node.")
    check.equal("count_nodes(a * a)", count(a * a), 2, because="`a` is one node, although it is used twice.")
    ones = Value(1.0) + Value(1.0)
    check.equal("count_nodes(Value(1.0) + Value(1.0))", count(ones), 3, because="Equal numbers, but different nodes.")
    doubled = a
    for _ in range(10):
        doubled = doubled + doubled
    check.equal("the nodes after ten times x = x + x", count(doubled), 11, because="The graph has 1024 paths.")
    loss = scalar_loss(Value, [[1.0, 2.0]], [1.0])
    check.equal("the nodes of a small network", count(loss), reference(loss))
    X, y = data.moons(POINTS, noise=0.1, seed=1)
    start = time.perf_counter()
    loss = scalar_loss(Value, X.tolist(), (2 * y - 1).tolist())
    loss.backward()
    yours = time.perf_counter() - start
    check.note(f"one step of a network with 337 weights on {POINTS} points makes {count(loss):,} nodes")
    single, arrays = adjoint_times(X, 2 * y - 1)
    check.note(
        f"yours: {show(yours)} per step; adjoint with single Values: {show(single)}; with arrays: {show(arrays)}"
    )


def reference(root):
    seen, todo = {}, [root]
    while todo:
        node = todo.pop()
        if id(node) not in seen:
            seen[id(node)] = node
            todo.extend(node._prev)
    return len(seen)


def scalar_loss(Value, X, y):
    """Return the loss of a network 2-16-16-1 with 337 weights on some points, made of single Values."""
    rng = random.Random(1)
    layers = [
        [[Value(rng.uniform(-1, 1)) for _ in range(inputs + 1)] for _ in range(outputs)]
        for inputs, outputs in ((2, 16), (16, 16), (16, 1))
    ]
    loss = 0.0
    for point, target in zip(X, y):
        for layer in layers:
            point = [sum((w * x for w, x in zip(neuron, point)), neuron[-1]).tanh() for neuron in layer]
        loss = loss + (point[0] - target) ** 2
    return loss * (1 / len(X))


def adjoint_times(X, y):
    """Return the seconds of the same step with single Values, and on arrays."""
    points, targets = X.tolist(), y.tolist()
    model = nn.MLP(2, [16, 16, 1], "tanh", seed=1).to_arrays()

    def on_arrays():
        ((model(X).reshape(-1) - y) ** 2).mean().backward()

    return shortest(lambda: scalar_loss(adjoint.Value, points, targets).backward()), shortest(on_arrays)


def shortest(run):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def show(seconds):
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"
