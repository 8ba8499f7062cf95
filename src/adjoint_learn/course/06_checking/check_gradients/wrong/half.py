"""Your slope is twice as large as it should be. The two nudges are 2h apart, and you divide by h."""

from engine import Value


def check_gradients(f, xs):
    values = [Value(x) for x in xs]
    f(*values).backward()
    h = 1e-5
    largest = 0.0
    for i, value in enumerate(values):
        high = f(*[Value(x + h * (i == k)) for k, x in enumerate(xs)]).data
        low = f(*[Value(x - h * (i == k)) for k, x in enumerate(xs)]).data
        largest = max(largest, abs(value.grad - (high - low) / h))
    return largest
