"""Choosing the next token from scores: greedily, or at random among the likely ones.

One uniform number between 0 and 1 decides on a token: tokens follow one another on that interval, each with a length
equal to its probability. So the same numbers give the same tokens on every array library.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from adjoint.arrays.backends import NUMPY, Backend, is_half

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
        found = _search(
            m, m.exp(likely(m, scores, top_k, top_p)), m.astype(uniform, scores.dtype)[:, None], operator.gt
        )
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
        last = _search(m, weights, m.astype(m.xp.asarray(top_p), weights.dtype), operator.ge)
        lowest = _element(m, ordered, last)
    return m.where(scores >= lowest, scores, -math.inf)


def _search(m: Backend, weights, fraction, is_reached: Callable) -> Any:
    """Return the first place in each row at which the weights so far reach a fraction of all; its weight is not 0.

    It is searched in parts of the row, and then in one part: accelerators compute long cumulative sums slowly.
    """
    rows, size = weights.shape
    width = math.isqrt(size - 1) + 1
    count = -(-size // width)
    padding = m.zeros((rows, count * width - size), weights)
    parts = m.reshape(m.xp.concatenate([weights, padding], axis=1), (rows, count, width))
    sums = m.sum(parts, axis=-1)
    ends = _running_sums(m, sums)
    target = fraction * ends[:, -1:]
    part = _first(m, sums, is_reached(ends, target))
    chosen = m.xp.take_along_axis(parts, part[:, None, None], axis=1)[:, 0]
    before = _element(m, ends, part) - _element(m, sums, part)
    place = _first(m, chosen, is_reached(_running_sums(m, chosen), target - before))
    return part * width + place


def _first(m: Backend, weights, is_reached) -> Any:
    """Return the first place of each row that is reached and has a weight; by rounding it can be the last with one."""
    place, size = m.arange(weights.shape[1], weights), weights.shape[1]
    has_weight = weights > 0
    first = m.min(m.xp.where(is_reached & has_weight, place, size), axis=-1)
    return m.xp.minimum(first, m.max(m.xp.where(has_weight, place, 0), axis=-1))


def _element(m: Backend, x, place) -> Any:
    """Return the element of each row at a place, as a column."""
    return m.xp.take_along_axis(x, place[:, None], axis=1)


def _running_sums(m: Backend, x) -> Any:
    if m is NUMPY:
        return m.cumulative_sum(x, axis=-1)
    i = m.arange(x.shape[-1], x)  # one reduction: JAX computes cumulative sums in many steps
    return m.sum(m.where(i[None, :] <= i[:, None], x[:, None, :], 0.0), axis=-1)
