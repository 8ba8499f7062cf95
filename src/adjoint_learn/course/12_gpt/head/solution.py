import math

import numpy as np

from adjoint import softmax, where


def head(x, Wq, Wk, Wv):
    """Return, for each letter, a mean of the values of the letters up to it."""
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    scores = q @ k.T / math.sqrt(k.shape[1])
    future = np.triu(np.ones(scores.shape), 1) > 0
    return softmax(where(future, -np.inf, scores), axis=1) @ v
