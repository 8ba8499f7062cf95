"""Your velocity is not damped: it is the sum of all gradients. Multiply the old velocity by beta."""


def momentum(params, grads, velocities, rate, beta):
    new = [v + g for v, g in zip(velocities, grads)]
    return [p - rate * v for p, v in zip(params, new)], new
