"""You move by the new velocity, and return the old one: nothing is remembered. Return the new velocities."""


def momentum(params, grads, velocities, rate, beta):
    new = [beta * v + g for v, g in zip(velocities, grads)]
    return [p - rate * v for p, v in zip(params, new)], velocities
