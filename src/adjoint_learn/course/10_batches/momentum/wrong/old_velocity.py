"""You move by the old velocity, so the gradient arrives one step late. Compute the new velocities first."""


def momentum(params, grads, velocities, rate, beta):
    new = [beta * v + g for v, g in zip(velocities, grads)]
    return [p - rate * v for p, v in zip(params, velocities)], new
