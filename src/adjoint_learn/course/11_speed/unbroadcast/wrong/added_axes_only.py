"""You sum over the axes that were added in front, and forget those where the size was 1. A column of shape (2, 1) that
was added to a table of shape (2, 3) was copied three times too."""


def unbroadcast(gradient, shape):
    while gradient.ndim > len(shape):
        gradient = gradient.sum(axis=0)
    return gradient
