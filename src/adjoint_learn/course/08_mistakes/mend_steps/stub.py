from engine import Value


def squared_error(w, b, points):
    """Return the sum of the squared errors of the line w*x + b, as a Value."""
    loss = Value(0.0)
    for x, y in points:
        loss = loss + (w * x + b - y) ** 2
    return loss


def forgotten(points, rate, steps):
    """Loop 1: set the gradients back to 0."""
    w, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = squared_error(w, b, points)
        loss.backward()
        for p in (w, b):
            p.data -= rate * p.grad
    return [w.data, b.data]


def too_late(points, rate, steps):
    """Loop 2: set them back in time."""
    w, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = squared_error(w, b, points)
        loss.backward()
        for p in (w, b):
            p.grad = 0.0
        for p in (w, b):
            p.data -= rate * p.grad
    return [w.data, b.data]


def rebound(points, rate, steps):
    """Loop 3: move the weights."""
    w, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = squared_error(w, b, points)
        for p in (w, b):
            p.grad = 0.0
        loss.backward()
        for p in (w, b):
            p = p - rate * p.grad
    return [w.data, b.data]


if __name__ == "__main__":
    line = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]
    for loop in (forgotten, too_late, rebound):  # TODO: mend them
        print(loop.__name__, loop(line, 0.1, 100))
