def unbroadcast(gradient, shape):
    """Return the gradient of an array of this shape that was broadcast to the shape of `gradient`."""
    return gradient  # TODO: sum over the axes that were added or stretched
