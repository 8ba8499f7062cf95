"""w is right in `forgotten`, and b is not: only the gradient of w is set back. Every parameter collects gradients,
so every parameter needs the reset. In a network that is a loop over parameters()."""

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
        w.grad = 0.0
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
            p.data -= rate * p.grad
    return [w.data, b.data]
