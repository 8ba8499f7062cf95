"""You keep the gradient of one copy and drop the others. It is the mistake of `=` instead of `+=`, now with axes: every
copy contributes. Sum over them."""


def unbroadcast(gradient, shape):
    while gradient.ndim > len(shape):
        gradient = gradient[0]
    for axis, size in enumerate(shape):
        if size == 1:
            gradient = gradient.take([0], axis=axis)
    return gradient
