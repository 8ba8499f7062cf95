"""Your nudges go in one direction only. Where the curve bends, the difference then contains the bend, and a correct
rule looks wrong. Nudge up and down and divide by 2h."""

from engine import Value


def check_gradients(f, xs):
    values = [Value(x) for x in xs]
    f(*values).backward()
    h = 1e-5
    largest = 0.0
    for i, value in enumerate(values):
        high = f(*[Value(x + h * (i == k)) for k, x in enumerate(xs)]).data
        slope = (high - f(*[Value(x) for x in xs]).data) / h
        largest = max(largest, abs(value.grad - slope))
    return largest
