"""You multiply the gradient by 1 − beta, which makes a running mean of it. Adam does that; here the gradient is
added as it is."""


def momentum(params, grads, velocities, rate, beta):
    new = [beta * v + (1 - beta) * g for v, g in zip(velocities, grads)]
    return [p - rate * v for p, v in zip(params, new)], new
