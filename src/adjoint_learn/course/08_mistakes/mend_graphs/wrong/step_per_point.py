"""`repeated` moves the weights after each point, while the graph of this step still grows. Finish the sum over all
points first, then go back once, then move."""

from engine import Value


def kept(points, rate, steps):
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
