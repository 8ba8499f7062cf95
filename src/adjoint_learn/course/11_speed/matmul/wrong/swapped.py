"""You return the two gradients in the other order. The gradient of X comes first; compare the shapes with those of X
and W."""


def matmul_gradients(X, W, g):
    return X.T @ g, g @ W.T
