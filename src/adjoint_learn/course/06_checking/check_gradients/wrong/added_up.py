"""You add up the differences of all inputs. The task asks for the largest one: a sum grows with the number of
inputs, so that you could not tell a small error from many inputs."""

from engine import Value


def check_gradients(f, xs):
    values = [Value(x) for x in xs]
    f(*values).backward()
    h = 1e-5
    total = 0.0
    for i, value in enumerate(values):
        high = f(*[Value(x + h * (i == k)) for k, x in enumerate(xs)]).data
        low = f(*[Value(x - h * (i == k)) for k, x in enumerate(xs)]).data
        total += abs(value.grad - (high - low) / (2 * h))
    return total
