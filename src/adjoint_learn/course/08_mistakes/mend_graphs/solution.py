from engine import Value


def kept(points, rate, steps):
    """Loop 1: give each step a graph of its own."""
    w, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = Value(0.0)
        for x, y in points:
            loss = loss + (w * x + b - y) ** 2
        for p in (w, b):
            p.grad = 0.0
        loss.backward()
        for p in (w, b):
            p.data -= rate * p.grad
    return [w.data, b.data]


def repeated(points, rate, steps):
    """Loop 2: go back once in each step."""
    w, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = Value(0.0)
        for p in (w, b):
            p.grad = 0.0
        for x, y in points:
            loss = loss + (w * x + b - y) ** 2
        loss.backward()
        for p in (w, b):
            p.data -= rate * p.grad
    return [w.data, b.data]


def too_early(points, rate, steps):
    """Loop 3: move the weights when the gradients are there."""
    v, w = Value(0.5), Value(0.5)
    for _ in range(steps):
        loss = Value(0.0)
        for x, y in points:
            loss = loss + (v * (w * x).tanh() - y) ** 2
        for p in (v, w):
            p.grad = 0.0
        loss.backward()
        for p in (v, w):
            p.data -= rate * p.grad
    return [v.data, w.data]


if __name__ == "__main__":
    line = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]
    for loop in (kept, repeated, too_early):
        print(loop.__name__, loop(line, 0.05, 4))
