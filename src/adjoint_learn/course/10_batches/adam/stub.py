import math


def adam(params, grads, ms, vs, step, rate):
    """Return the parameters, and the running means of the gradients and of their squares, after a step."""
    return None, None, None  # TODO
