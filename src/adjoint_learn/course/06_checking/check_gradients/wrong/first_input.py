"""You return in the first pass of the loop, so only the first input is tested. Keep the largest difference, and
return after the loop."""

from engine import Value


def check_gradients(f, xs):
    values = [Value(x) for x in xs]
    f(*values).backward()
    h = 1e-5
    for i, value in enumerate(values):
        high = f(*[Value(x + h * (i == k)) for k, x in enumerate(xs)]).data
        low = f(*[Value(x - h * (i == k)) for k, x in enumerate(xs)]).data
        return abs(value.grad - (high - low) / (2 * h))
