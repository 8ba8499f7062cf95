"""Metrics of the order of scores: the area under the ROC curve, and the accuracy of the best k classes."""

import numpy as np

from adjoint.errors import ArgumentError, DataError
from adjoint.errors.given import describe, whole
from adjoint.metrics.labels import (
    Predictions,
    as_array,
    class_axis,
    labels_of_targets,
    require_finite,
    require_labels,
    require_same_shape,
)


def auc(prediction: Predictions, target: Predictions, *, average: str = "macro") -> float:
    """Return the area under the ROC curve: how likely a positive sample has a higher score than a negative one.

    `prediction` holds one score per sample, or scores of two classes. For more classes, each is compared with all
    others, and `average` is "macro", their mean, or "weighted" by the number of targets; scores that are not
    probabilities are ordered as their softmax, without its rounding. The result is nan if a class has no sample, or all
    of them.

    >>> from adjoint import metrics
    >>> metrics.auc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
    0.75
    """
    if average not in ("macro", "weighted"):
        raise ArgumentError(f"average must be 'macro' or 'weighted', not {describe(average)}")
    scores, y = as_array(prediction, "predictions").astype(float), labels_of_targets(target)
    require_finite(scores)
    axis = class_axis(scores, y)
    if axis is None or scores.shape[axis] == 1:
        scores = scores.reshape(y.shape) if axis is not None else scores
        require_same_shape(scores, y)
        classes = np.unique(y)
        if len(classes) > 2:
            raise DataError(
                f"one score per sample is for two classes, but the targets have {len(classes)}; give scores of shape "
                f"(samples, classes)"
            )
        return _area(scores.ravel(), y.ravel() == classes[-1] if len(classes) == 2 else np.zeros(y.size, bool))
    count = scores.shape[axis]
    require_labels(y, count)
    scores, y = np.moveaxis(scores, axis, -1).reshape(-1, count), y.ravel()
    if count == 2:
        return _area(_ranked_differences(scores[:, 1], scores[:, 0]), y == 1)
    are_probabilities = (scores >= 0).all() and np.allclose(scores.sum(1), 1)
    areas = [_area(scores[:, i] if are_probabilities else _log_odds(scores, i), y == i) for i in range(count)]
    weights = np.bincount(y.astype(int), minlength=count) if average == "weighted" else None
    return float(np.average(areas, weights=weights))


def top_k(prediction: Predictions, target: Predictions, *, k: int = 5) -> float:
    """Return the fraction of samples whose class is among the `k` with the highest scores.

    >>> from adjoint import metrics
    >>> metrics.top_k([[0.5, 0.2, 0.3], [0.1, 0.7, 0.2]], [2, 0], k=2)
    0.5
    """
    k = whole(k, "k")
    scores, y = as_array(prediction, "predictions").astype(float), labels_of_targets(target)
    require_finite(scores)
    axis = class_axis(scores, y)
    if axis is None:
        raise ArgumentError(f"top_k needs scores of shape (samples, classes), not {scores.shape}")
    require_labels(y, scores.shape[axis])
    best = np.moveaxis(scores, axis, -1).argsort(-1, kind="stable")[..., ::-1][..., :k]
    return float((best == y[..., None]).any(-1).mean())


def _area(scores: np.ndarray, is_positive: np.ndarray) -> float:
    """Return the statistic of Mann and Whitney; samples with equal scores share their ranks."""
    positive = int(is_positive.sum())
    pairs = positive * (len(scores) - positive)
    if not pairs:
        return float("nan")
    _, index, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[index]
    return float((ranks[is_positive].sum() - positive * (positive + 1) / 2) / pairs)


def _ranked_differences(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return the ranks of x - z, where differences that round to the same number are ordered by their exact values.

    Each is the rounded difference and its rounding error, which is a float (Knuth, The Art of Computer Programming,
    volume 2, 4.2.2).
    """
    if max(np.abs(x).max(initial=0.0), np.abs(z).max(initial=0.0)) > 2.0**1000:
        x, z = x / 4, z / 4  # a difference would overflow
    rounded = x - z
    part = rounded - x
    error = (x - (rounded - part)) - (z + part)
    return np.unique(np.stack([rounded, error], 1), axis=0, return_inverse=True)[1].reshape(-1)


def _log_odds(scores: np.ndarray, i: int) -> np.ndarray:
    """Return the logarithms of p / (1 - p) for the probabilities p of class `i`, which softmax would round to 1."""
    others = np.delete(scores, i, 1)
    top = others.max(1)
    return scores[:, i] - top - np.log(np.exp(others - top[:, None]).sum(1))
