from engine import Value


def check_gradients(f, xs):
    """Return the largest difference between a gradient of backward() and the central difference."""
    values = [Value(x) for x in xs]
    f(*values).backward()
    h = 1e-5
    largest = 0.0
    for i, value in enumerate(values):
        high = f(*[Value(x + h * (i == k)) for k, x in enumerate(xs)]).data
        low = f(*[Value(x - h * (i == k)) for k, x in enumerate(xs)]).data
        slope = (high - low) / (2 * h)
        largest = max(largest, abs(value.grad - slope))
    return largest
