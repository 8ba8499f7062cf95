"""`repeated` still goes back once per point. You reset the weights before each pass, but the nodes inside of the
graph keep their gradients and hand them on again. One backward() after the loop over the points is enough."""

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
        for x, y in points:
            loss = loss + (w * x + b - y) ** 2
            for p in (w, b):
                p.grad = 0.0
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
