"""You multiply by W and X as they are, and the shapes do not fit. On the way back the matrix maps outputs to inputs, so
it must be transposed."""


def matmul_gradients(X, W, g):
    return g @ W, X @ g
