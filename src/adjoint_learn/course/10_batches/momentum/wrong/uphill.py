"""You add the velocity. It points uphill, as the gradients do: subtract it."""


def momentum(params, grads, velocities, rate, beta):
    new = [beta * v + g for v, g in zip(velocities, grads)]
    return [p + rate * v for p, v in zip(params, new)], new
