"""The cross-entropy of labels in one operation, for arrays of JAX and for large vocabularies.

For the backward pass it keeps the scores in their own dtype and one number for each row, the logarithm of the sum of
exponentials. The composition of `log_softmax` and an index would keep all log-probabilities in float32.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from adjoint.arrays.backends import NUMPY, Backend, is_half
from adjoint.arrays.fused import FusedOp
from adjoint.arrays.tensor import Tensor
from adjoint.engine.value import Value


def wide(m: Backend, x) -> Any:
    return m.astype_float32(x) if is_half(x) else x


def losses_of_rows(m: Backend, scores, labels, axis: int, smoothing: float) -> tuple[Any, Any]:
    """Return the loss of each row of scores, and the logarithm of its sum of exponentials, with the axis kept."""
    x = wide(m, scores)
    top = m.max(x, axis=axis, keepdims=True)
    log_sum = m.log(m.sum(m.exp(x - top), axis=axis, keepdims=True)) + top
    losses = m.xp.squeeze(log_sum, axis) - (1 - smoothing) * _scores_of(m, scores, labels, axis)
    if smoothing:
        losses = losses - smoothing * m.mean(x, axis=(axis,), keepdims=False)
    return losses, log_sum


def _scores_of(m: Backend, scores, labels, axis: int) -> Any:
    """Return the score of the label of each row; NaN for a label that does not exist, which jit may see too late."""
    options = {} if m is NUMPY else {"mode": "fill"}  # each device finds those of its rows; an index would gather all
    found = m.xp.take_along_axis(scores, m.xp.expand_dims(labels, axis), axis, **options)
    return wide(m, m.xp.squeeze(found, axis))


def gradient_of_rows(m: Backend, scores, log_sum, labels, axis: int, smoothing: float, factor) -> Any:
    """Return the gradient of the scores, in their dtype: that of the losses of the rows, each times its `factor`."""
    count = scores.shape[axis]
    along = tuple(count if k == axis else 1 for k in range(len(scores.shape)))
    classes = m.reshape(m.xp.arange(count, dtype=np.int32), along)  # 64 bits for each score would be slower
    is_label = m.astype(m.xp.expand_dims(labels, axis), np.int32) == classes
    share = m.select(is_label, 1 - smoothing + smoothing / count, smoothing / count, log_sum)
    difference = m.exp(wide(m, scores) - log_sum) - share
    return m.astype(difference * m.xp.expand_dims(factor, axis), scores.dtype)


def label_losses(m: Backend, scores: Value, labels, axis: int, smoothing: float, composition: Callable) -> Tensor:
    """Return the loss of each row as one operation; `composition(scores)` is the same in adjoint's operations."""

    def compute(x):
        return losses_of_rows(m, x, labels, axis, smoothing)[0]

    def compute_with_pullback(x):
        losses, log_sum = losses_of_rows(m, x, labels, axis, smoothing)
        return losses, lambda g: [gradient_of_rows(m, x, log_sum, labels, axis, smoothing, g)]

    return FusedOp("cross_entropy", compute, compute_with_pullback, composition)(scores)
