"""Metrics of classes: accuracy, precision, recall, F1 and the confusion matrix they are computed from."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adjoint.errors import ArgumentError, DataError
from adjoint.errors.given import describe
from adjoint.metrics.labels import Labels, Predictions, labels_of

_AVERAGES = ("auto", "binary", "macro", "micro", "weighted", None)


def accuracy(prediction: Predictions, target: Predictions, *, threshold: float | None = None) -> float:
    """Return the fraction of samples whose label is right.

    `prediction` holds the scores of a model or labels. One score per sample means the label 1 if it is above the
    `threshold`: 0.5, or 0 if the targets contain -1.

    >>> from adjoint import metrics
    >>> metrics.accuracy([[0.1, 0.9], [0.8, 0.2]], [1, 1])
    0.5
    >>> metrics.accuracy([0.7, 0.2, 0.9], [1, 0, 0])
    0.6666666666666666
    """
    labels = labels_of(prediction, target, threshold)
    return float((labels.prediction == labels.target).mean())


def confusion_matrix(
    prediction: Predictions,
    target: Predictions,
    *,
    labels: Sequence[Any] | None = None,
    threshold: float | None = None,
) -> np.ndarray:
    """Return how often each label was predicted for each target: a row per target, a column per prediction.

    The rows are those of the `labels`; by default of all classes that the predictions have scores for, or else of all
    labels that occur, sorted.

    >>> from adjoint import metrics
    >>> metrics.confusion_matrix([0, 2, 2, 1], [0, 1, 2, 1])
    array([[1, 0, 0],
           [0, 1, 1],
           [0, 0, 1]])
    """
    found = labels_of(prediction, target, threshold)
    if labels is not None:
        return _matrix(found, np.asarray(labels))
    return _matrix(found, found.classes if found.columns is None else np.arange(found.columns))


def precision(
    prediction: Predictions,
    target: Predictions,
    *,
    average: str | None = "auto",
    threshold: float | None = None,
) -> Any:
    """Return the fraction of the predictions of a class that are right; 0 if the class is never predicted.

    `average` is that of scikit-learn. "binary" is the number of the label 1, and the default for two classes; "macro",
    the default for more, is the mean of all classes; "weighted" is their mean weighted by the number of their targets;
    "micro" counts all classes together; None gives an array with a number for each class.

    >>> from adjoint import metrics
    >>> metrics.precision([1, 1, 1, 0], [1, 1, 0, 0])
    0.6666666666666666
    >>> metrics.precision([0, 1, 2, 2], [0, 1, 1, 2], average=None)
    array([1. , 1. , 0.5])
    """
    return _averaged(labels_of(prediction, target, threshold), average, lambda right, predicted, actual: predicted)


def recall(
    prediction: Predictions,
    target: Predictions,
    *,
    average: str | None = "auto",
    threshold: float | None = None,
) -> Any:
    """Return the fraction of the samples of a class that are predicted; 0 if there are none. See `precision`.

    >>> from adjoint import metrics
    >>> metrics.recall([1, 1, 0, 0], [1, 1, 1, 0])
    0.6666666666666666
    """
    return _averaged(labels_of(prediction, target, threshold), average, lambda right, predicted, actual: actual)


def f1(
    prediction: Predictions,
    target: Predictions,
    *,
    average: str | None = "auto",
    threshold: float | None = None,
) -> Any:
    """Return the harmonic mean of precision and recall, of each class before the average. See `precision`.

    >>> from adjoint import metrics
    >>> metrics.f1([1, 1, 0, 0], [1, 1, 1, 0])
    0.8
    """
    both = labels_of(prediction, target, threshold)
    return _averaged(both, average, lambda right, predicted, actual: (predicted + actual) / 2)


def _averaged(labels: Labels, average: str | None, base: Callable[..., Any]) -> Any:
    """Return the right predictions divided by a base, which is a function of the counts of each class."""
    if average not in _AVERAGES:
        known = ", ".join(map(repr, _AVERAGES))
        raise ArgumentError(f"average must be one of {known}, not {describe(average)}")
    if average == "auto":
        average = "binary" if labels.is_binary else "macro"
    classes = labels.classes
    if average == "binary":
        if not labels.is_binary:
            shown = classes[:5].tolist()
            raise DataError(
                f"average='binary' is for the labels 0 and 1, or -1 and 1, not {shown}{' …' * (len(classes) > 5)}; use "
                f"'macro', 'micro' or 'weighted'"
            )
        classes = np.union1d(classes, [1])
    matrix = _matrix(labels, classes)
    right, predicted, actual = matrix.diagonal(), matrix.sum(0), matrix.sum(1)
    if average == "micro":
        return float(_divide(right.sum(), base(right.sum(), predicted.sum(), actual.sum())))
    of_classes = _divide(right, base(right, predicted, actual))
    if average is None:
        return of_classes
    if average == "binary":
        return float(of_classes[-1])
    return float(np.average(of_classes, weights=actual if average == "weighted" else None))


def _divide(right: Any, base: Any) -> Any:
    return np.divide(right, base, out=np.zeros(np.shape(right)), where=np.asarray(base) > 0)


def _matrix(labels: Labels, classes: np.ndarray) -> np.ndarray:
    count = len(classes)
    is_known = np.isin(labels.prediction, classes) & np.isin(labels.target, classes)
    order = np.argsort(classes)
    rows, columns = (
        order[np.searchsorted(classes, of[is_known], sorter=order)] for of in (labels.target, labels.prediction)
    )
    return np.bincount(rows * count + columns, minlength=count * count).reshape(count, count)


def accuracy_at(threshold: float) -> Callable[[Any, Any], Any]:
    """Return the accuracy as a function of arrays of one library, which `jit` can trace: it checks nothing.

    >>> accuracy_at(0.0)(np.array([0.5, -2.0]), np.array([1, 1]))
    np.float64(0.5)
    >>> accuracy_at(0.0)(np.array([[0.1, 0.9], [0.8, 0.2]]), np.array([1, 1]))
    np.float64(0.5)
    """

    def accuracy(prediction: Any, target: Any) -> Any:
        shape = tuple(prediction.shape)
        if len(shape) == len(target.shape) + 1 and shape[1] > 1:  # the class axis is the one that labels lack
            return (prediction.argmax(1 if shape[:1] + shape[2:] == tuple(target.shape) else -1) == target).mean()
        if len(shape) > 1 and shape == tuple(target.shape) and shape[1] > 1:
            return (prediction.argmax(1) == target.argmax(1)).mean()
        target = target.reshape(prediction.shape)
        return ((prediction > threshold) == (target > max(0.0, threshold))).mean()

    return accuracy
