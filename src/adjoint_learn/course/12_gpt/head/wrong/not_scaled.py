"""You do not divide the scores by the square root of the number of columns. With more columns the scores grow, and
the softmax soon puts all its weight on one letter."""

import numpy as np

from adjoint import softmax, where


def head(x, Wq, Wk, Wv):
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    scores = q @ k.T
    hidden = np.triu(np.ones(scores.shape), 1) > 0
    return softmax(where(hidden, -np.inf, scores), axis=1) @ v
