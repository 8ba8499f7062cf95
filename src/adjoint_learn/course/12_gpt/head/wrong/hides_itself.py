"""Your mask hides the diagonal too, so a letter does not see itself, and the first letter sees nothing at all. Hide
only what comes after: `np.triu(…, 1)`."""

import math

import numpy as np

from adjoint import softmax, where


def head(x, Wq, Wk, Wv):
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    scores = q @ k.T / math.sqrt(k.shape[1])
    future = np.triu(np.ones(scores.shape)) > 0
    return softmax(where(future, -np.inf, scores), axis=1) @ v
