def momentum(params, grads, velocities, rate, beta):
    """Return the parameters and the velocities after one step."""
    velocities = [beta * v + g for v, g in zip(velocities, grads)]
    params = [p - rate * v for p, v in zip(params, velocities)]
    return params, velocities
