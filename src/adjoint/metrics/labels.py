"""The predictions and targets of metrics, as NumPy arrays.

Predictions are scores, as a model returns them, or labels:

- floats with one axis more than the targets are the scores of the classes, and the largest one is the label;
- other floats, of shape (samples,) or (samples, 1), are scores of the positive class, which is the label 1: a score
  above the threshold means 1, and the threshold is 0.5, or 0 for targets of -1 and 1;
- integers, booleans and strings are labels.

Targets are labels, or rows with a single 1 (one-hot).
"""

from typing import Any, NamedTuple

import numpy as np

from adjoint.arrays.tensor import Tensor
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, DataError, ShapeError
from adjoint.errors.given import describe, is_number
from adjoint.transforms.trees import tree_map

Predictions = Any  # a Value, an array of any library, or nested lists


class Labels(NamedTuple):
    """The labels of predictions and targets, each of shape (samples,)."""

    prediction: np.ndarray
    target: np.ndarray
    columns: int | None  # the number of classes, if the predictions were scores of classes

    @property
    def classes(self) -> np.ndarray:
        """All labels that occur, sorted."""
        return np.union1d(self.prediction, self.target)

    @property
    def is_binary(self) -> bool:
        """Whether the labels are those of two classes, 0 and 1 or -1 and 1."""
        found = self.classes
        has_pair = found.dtype.kind in "biuf" and (np.isin(found, (0, 1)).all() or np.isin(found, (-1, 1)).all())
        return bool(has_pair) and (self.columns is None or self.columns <= 2)


def as_array(given: Predictions, what: str) -> np.ndarray:
    """Return predictions or targets as a NumPy array; raise if they are not an array or are empty."""
    if isinstance(given, Tensor):
        found = np.asarray(given.numpy())
    else:
        given = tree_map(lambda x: float(x) if isinstance(x, Value) else x, given) if _is_list(given) else given
        try:
            found = np.asarray(given.detach().cpu() if hasattr(given, "detach") else given)
        except ValueError:
            raise ArgumentError(f"the {what} have rows of different lengths: {describe(given)}") from None
    if found.dtype == object or found.ndim == 0:
        raise ArgumentError(f"the {what} must be an array with one row per sample, not {describe(given)}")
    if not found.size:
        raise ArgumentError(f"the {what} have no samples: their shape is {found.shape}")
    return found


def labels_of(prediction: Predictions, target: Predictions, threshold: float | None) -> Labels:
    """Return the labels of predictions and targets."""
    scores, y = as_array(prediction, "predictions"), labels_of_targets(target)
    if scores.dtype.kind != "f":
        require_same_shape(scores := np.squeeze(scores, -1) if _has_single_column(scores, y) else scores, y)
        return Labels(scores.ravel(), y.ravel(), None)
    require_finite(scores)
    axis = class_axis(scores, y)
    if axis is not None and scores.shape[axis] > 1:
        require_labels(y, scores.shape[axis])
        return Labels(scores.argmax(axis).ravel(), y.ravel(), scores.shape[axis])
    scores = scores.reshape(y.shape) if _has_single_column(scores, y) else scores
    require_same_shape(scores, y)
    if y.dtype.kind not in "biuf" or not (np.isin(y, (0, 1)).all() or np.isin(y, (-1, 1)).all()):
        raise DataError(
            f"one score per sample is for the labels 0 and 1, or -1 and 1, but the targets contain {_other(y)}; give "
            f"scores of shape (samples, classes), or labels as integers"
        )
    low = -1 if (y < 0).any() else 0
    if threshold is None:
        threshold = 0.0 if low else 0.5
    elif not is_number(threshold):
        raise ArgumentError(f"threshold must be a number, not {describe(threshold)}")
    return Labels(np.where(scores > threshold, 1, low).ravel(), y.ravel(), None)


def labels_of_targets(target: Predictions) -> np.ndarray:
    """Return targets as labels."""
    y = as_array(target, "targets")
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    elif y.ndim == 2 and y.dtype.kind in "biuf" and np.isin(y, (0, 1)).all() and (y.sum(1) == 1).all():
        y = y.argmax(1)
    if y.dtype.kind == "f":
        require_finite(y, "targets")
        if (y != np.round(y)).any():
            raise DataError(f"the targets must be labels, but they contain {y[y != np.round(y)].flat[0]:g}")
    return y


def class_axis(scores: np.ndarray, y: np.ndarray) -> int | None:
    """Return the axis of the classes, which is the one that the targets do not have; None if there is none."""
    if scores.ndim != y.ndim + 1:
        return None
    shape = scores.shape
    return next((axis for axis in (1, -1) if np.delete(shape, axis).tolist() == list(y.shape)), None)


def require_labels(y: np.ndarray, classes: int) -> None:
    """Raise if targets are not indices of classes."""
    if y.dtype.kind not in "biuf" or y.min() < 0 or y.max() >= classes:
        wrong = y.flat[0] if y.dtype.kind not in "biuf" else y[(y < 0) | (y >= classes)].flat[0]
        raise DataError(f"{classes} scores need labels from 0 to {classes - 1}, but the targets contain {wrong}")


def require_same_shape(prediction: np.ndarray, y: np.ndarray) -> None:
    if prediction.shape != y.shape:
        raise ShapeError(f"the predictions have shape {prediction.shape}, but the targets have {y.shape}")


def require_finite(x: np.ndarray, what: str = "predictions") -> None:
    if not np.isfinite(x).all():
        raise DataError(f"the {what} contain {x[~np.isfinite(x)].flat[0]}")


def _has_single_column(scores: np.ndarray, y: np.ndarray) -> bool:
    return scores.shape == (*y.shape, 1)


def _other(y: np.ndarray) -> Any:
    others = y[~np.isin(y, (0, 1))] if y.dtype.kind in "biuf" else y
    return others.flat[0]


def _is_list(given: object) -> bool:
    return isinstance(given, (list, tuple))
