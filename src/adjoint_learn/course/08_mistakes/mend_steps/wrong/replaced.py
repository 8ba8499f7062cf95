"""`rebound` replaces the weight by the step. The new weight is the old one minus rate times gradient: p.data -= ...,
not p.data = -...."""

from engine import Value


def squared_error(w, b, points):
    """Return the sum of the squared errors of the line w*x + b, as a Value."""
    loss = Value(0.0)
    for x, y in points:
        loss = loss + (w * x + b - y) ** 2
    return loss


def forgotten(points, rate, steps):
    w, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = squared_error(w, b, points)
        for p in (w, b):
            p.grad = 0.0
        loss.backward()
        for p in (w, b):
            p.data -= rate * p.grad
    return [w.data, b.data]


def too_late(points, rate, steps):
    w, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = squared_error(w, b, points)
        for p in (w, b):
            p.grad = 0.0
        loss.backward()
        for p in (w, b):
            p.data -= rate * p.grad
    return [w.data, b.data]


def rebound(points, rate, steps):
    w, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = squared_error(w, b, points)
        for p in (w, b):
            p.grad = 0.0
        loss.backward()
        for p in (w, b):
            p.data = -rate * p.grad
    return [w.data, b.data]
