import time

from adjoint import data, nn
from adjoint.errors import installed_numpy
from adjoint_learn.nodes import thirty_doublings

POINTS = 50


def check(check, learner):
    from engine import Value  # the learner's
    from network import MLP

    count = learner.count_nodes
    a, b, c, f = (Value(x) for x in (2.0, -3.0, 10.0, -2.0))
    check.equal("count_nodes((a*b + c) * f)", count((a * b + c) * f), 7, because="Four inputs and three operations.")
    check.equal("count_nodes(a)", count(a), 1, because="An input is a graph of one node.")
    check.equal("count_nodes(a * a)", count(a * a), 2, because="`a` is one node, although it is used twice.")
    ones = Value(1.0) + Value(1.0)
    check.equal("count_nodes(Value(1.0) + Value(1.0))", count(ones), 3, because="Equal numbers, but different nodes.")
    doubled = a
    for _ in range(3):
        doubled = doubled + doubled
    check.equal("the nodes after three times x = x + x", count(doubled), 4, because="The graph has 8 paths.")
    doubled = thirty_doublings()[-1]
    check.equal("the nodes after thirty times x = x + x", count(doubled), 31, because="It has a billion paths.")
    model = MLP(2, [16, 16, 1])
    loss = mean_squared(model, [[1.0, 2.0]], [1.0])
    check.equal("the nodes of your network on one point", count(loss), reference(loss))
    points, labels = data.points("moons", n=POINTS, noise=0.1, seed=1)
    targets = [2.0 * label - 1 for label in labels]
    start = time.perf_counter()
    loss = mean_squared(model, points, targets)
    loss.backward()
    yours = time.perf_counter() - start
    check.note(f"one step of your network with 337 parameters on {POINTS} points makes {count(loss):,} nodes")

    single = nn.MLP(2, [16, 16, 1], "tanh")
    for parameter, value in zip(single.parameters(), model.parameters()):
        parameter.data = value.data
    check.close("the loss of your network", loss.data, mean_squared(single, points, targets).data)
    on_values = shortest(lambda: mean_squared(single, points, targets).backward())
    note = f"yours: {show(yours)} per step; adjoint with single Values: {show(on_values)}"
    if np := installed_numpy():
        arrays, X, y = single.to_arrays(), np.array(points), np.array(targets)
        check.close("the loss of your network", loss.data, float(mean_squared_on_arrays(arrays, X, y).data))
        on_arrays = shortest(lambda: mean_squared_on_arrays(arrays, X, y).backward())
        note += f"; with arrays: {show(on_arrays)}"
    check.note(note)


def reference(root):
    seen, todo = {}, [root]
    while todo:
        node = todo.pop()
        if id(node) not in seen:
            seen[id(node)] = node
            todo.extend(node._prev)
    return len(seen)


def mean_squared(model, points, targets):
    """Return the loss of a network of single Values, the learner's or adjoint's."""
    return sum((model(point) - target) ** 2 for point, target in zip(points, targets)) / len(points)


def mean_squared_on_arrays(model, X, targets):
    return ((model(X).reshape(-1) - targets) ** 2).mean()


def shortest(run):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def show(seconds):
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"
