"""Your sums are right, and the shape is not: a sum removes its axis, so a gradient of shape (2, 1) became (2,). The
gradient must have the shape of its array, or the next step would broadcast it again. Use `keepdims=True`."""


def unbroadcast(gradient, shape):
    added = gradient.ndim - len(shape)
    gradient = gradient.sum(axis=tuple(range(added)))
    return gradient.sum(axis=tuple(i for i, size in enumerate(shape) if size == 1))
