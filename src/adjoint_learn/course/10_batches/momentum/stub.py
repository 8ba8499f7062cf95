def momentum(params, grads, velocities, rate, beta):
    """Return the parameters and the velocities after one step."""
    return None, None  # TODO
