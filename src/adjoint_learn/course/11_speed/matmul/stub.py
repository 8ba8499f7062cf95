def matmul_gradients(X, W, g):
    """Return the gradients of X and of W, where g is the gradient of X @ W."""
    return None, None  # TODO
