"""You take the mean over the copies. Each copy contributes its whole gradient, because moving the number moves all its
copies at once. Contributions add up: take the sum."""


def unbroadcast(gradient, shape):
    added = gradient.ndim - len(shape)
    gradient = gradient.mean(axis=tuple(range(added)))
    for axis, size in enumerate(shape):
        if size == 1:
            gradient = gradient.mean(axis=axis, keepdims=True)
    return gradient
