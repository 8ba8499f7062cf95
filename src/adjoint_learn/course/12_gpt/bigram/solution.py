import numpy as np


def scores_gradient(scores, counts):
    """Return the gradient of the mean cross-entropy of all pairs with respect to the scores."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    p = powers / powers.sum(axis=1, keepdims=True)
    n = counts.sum(axis=1, keepdims=True)
    return (n * p - counts) / counts.sum()
