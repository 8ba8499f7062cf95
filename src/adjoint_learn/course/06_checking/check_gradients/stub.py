from engine import Value


def check_gradients(f, xs):
    """Return the largest difference between a gradient of backward() and the central difference."""
    return None  # TODO: backward() once, then two nudges for each input
