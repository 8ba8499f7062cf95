"""Your softmax runs over the columns. The scores of one row compete for the next letter, so the softmax belongs to
the rows: `axis=1`."""

import numpy as np


def scores_gradient(scores, counts):
    powers = np.exp(scores - scores.max(axis=0, keepdims=True))
    p = powers / powers.sum(axis=0, keepdims=True)
    n = counts.sum(axis=1, keepdims=True)
    return (n * p - counts) / counts.sum()
