"""Your gradient of W is transposed: it has the shape (outputs, inputs), and W has the shape (inputs, outputs). With a
square W nothing would complain, and the network would learn nonsense. Put `X.T` on the left."""


def matmul_gradients(X, W, g):
    return g @ W.T, g.T @ X
