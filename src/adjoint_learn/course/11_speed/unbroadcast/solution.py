def unbroadcast(gradient, shape):
    """Return the gradient of an array of this shape that was broadcast to the shape of `gradient`."""
    added = gradient.ndim - len(shape)
    gradient = gradient.sum(axis=tuple(range(added)))
    for axis, size in enumerate(shape):
        if size == 1:
            gradient = gradient.sum(axis=axis, keepdims=True)
    return gradient
