import math

import numpy as np

from adjoint import softmax, where


def head(x, Wq, Wk, Wv):
    """Return, for each letter, a mean of the values of the letters up to it."""
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    return v  # TODO: scores, mask, softmax, weighted sum
