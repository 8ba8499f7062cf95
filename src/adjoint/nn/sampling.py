"""Choosing the next token from scores: greedily, or at random among the likely ones.

One uniform number between 0 and 1 decides on a token: tokens follow one another on that interval, each with a length
equal to its probability. So the same numbers give the same tokens on every array library.
"""

import math
from typing import Any

import numpy as np

from adjoint.arrays.backends import Backend, is_half

UNKNOWN = -1  # stands for a token whose scores are NaN


def choose(m: Backend, scores, uniform, temperature, top_k: int | None, top_p) -> Any:
    """Return a token for each row of scores, as int32. Without a temperature it is the one with the highest score.

    >>> from adjoint.arrays.backends import NUMPY
    >>> scores = np.log([[0.5, 0.3, 0.2]])
    >>> [int(choose(NUMPY, scores, np.array([u]), 1.0, None, None)[0]) for u in (0.4, 0.6, 0.9)]
    [0, 1, 2]
    >>> [int(choose(NUMPY, scores, np.array([u]), 1.0, 2, None)[0]) for u in (0.4, 0.6, 0.9)]
    [0, 0, 1]
    """
    if is_half(scores):
        scores = m.astype_float32(scores)
    best = m.max(scores, axis=-1, keepdims=True)
    if temperature is None:
        found = m.xp.argmax(scores, axis=-1)
    else:
        scores = (scores - best) / m.astype(m.xp.asarray(temperature), scores.dtype)
        weights = m.exp(likely(m, scores, top_k, top_p))
        ends = _cumulative(m, weights)
        target = m.astype(uniform, weights.dtype)[:, None] * ends[:, -1:]
        is_after = (ends > target) & (weights > 0)
        # rounding can leave no token after the last number below 1
        is_after = is_after | (~m.xp.any(is_after, axis=-1, keepdims=True) & (scores == 0))
        found = m.xp.argmax(is_after, axis=-1)
    return m.xp.where(m.xp.isnan(best[:, 0]), UNKNOWN, m.astype(found, np.int32))


def likely(m: Backend, scores, top_k: int | None, top_p) -> Any:
    """Return the scores, with -inf for tokens that are not among the likely ones.

    These are the `top_k` tokens with the highest scores, and of these the fewest whose probabilities add up to at least
    `top_p`. Tokens that have the same score as the last of them are likely too.
    """
    size = scores.shape[-1]
    if top_p is None and (top_k is None or top_k >= size):
        return scores
    ordered = -m.xp.sort(-scores, axis=-1)[:, :top_k]
    if top_p is None:
        lowest = ordered[:, -1:]
    else:
        weights = m.exp(ordered - ordered[:, :1])
        ends = _cumulative(m, weights)
        top_p = m.astype(m.xp.asarray(top_p), weights.dtype)
        count = m.sum(m.astype(ends - weights < top_p * ends[:, -1:], np.int32), axis=-1, keepdims=True)
        lowest = m.xp.take_along_axis(ordered, m.xp.maximum(count, 1) - 1, axis=-1)
    return m.where(scores >= lowest, scores, -math.inf)


def _cumulative(m: Backend, x) -> Any:
    """Return the cumulative sums of rows. Long rows are cut into parts: accelerators add up many short rows faster."""
    rows, size = x.shape
    width = math.isqrt(size - 1) + 1
    count = -(-size // width)
    parts = m.reshape(m.pad(x, ((0, 0), (0, count * width - size)), 0.0), (rows, count, width))
    within = m.cumulative_sum(parts, axis=-1)
    before = m.cumulative_sum(within[:, :, -1], axis=-1) - within[:, :, -1]
    return m.reshape(within + before[:, :, None], (rows, count * width))[:, :size]
