"""Metrics of numbers: mean absolute and squared errors, and the coefficient of determination.

Predictions of shape (samples, 1) fit targets of shape (samples,). With several columns, each counts the same.
"""

import numpy as np

from adjoint.errors import DataError
from adjoint.metrics.labels import Predictions, as_array, require_finite, require_same_shape


def mae(prediction: Predictions, target: Predictions) -> float:
    """Return the mean absolute error.

    >>> from adjoint import metrics
    >>> metrics.mae([1.0, 2.0], [1.0, 4.0])
    1.0
    """
    p, y = _columns(prediction, target)
    return float(abs(p - y).mean())


def mse(prediction: Predictions, target: Predictions) -> float:
    """Return the mean squared error.

    >>> from adjoint import metrics
    >>> metrics.mse([1.0, 2.0], [1.0, 4.0])
    2.0
    """
    p, y = _columns(prediction, target)
    return float(((p - y) ** 2).mean())


def rmse(prediction: Predictions, target: Predictions) -> float:
    """Return the root of the mean squared error; of several columns, the mean of their roots.

    >>> from adjoint import metrics
    >>> metrics.rmse([1.0, 2.0], [3.0, 4.0])
    2.0
    """
    p, y = _columns(prediction, target)
    return float((((p - y) ** 2).mean(0) ** 0.5).mean())


def r2(prediction: Predictions, target: Predictions) -> float:
    """Return the coefficient of determination: 1 for perfect predictions, 0 for those of the mean.

    If all targets are equal, it is 1 for perfect predictions and 0 for others. It is nan for a single sample.

    >>> from adjoint import metrics
    >>> round(metrics.r2([2.5, 0.0, 2.0, 8.0], [3.0, -0.5, 2.0, 7.0]), 6)
    0.948608
    """
    p, y = _columns(prediction, target)
    if len(y) < 2:
        return float("nan")
    errors, spread = ((p - y) ** 2).sum(0), ((y - y.mean(0)) ** 2).sum(0)
    of_columns = np.where(spread > 0, 1 - errors / np.where(spread > 0, spread, 1), errors == 0)
    return float(of_columns.mean())


def _columns(prediction: Predictions, target: Predictions) -> tuple[np.ndarray, np.ndarray]:
    """Return predictions and targets of shape (samples, columns)."""
    p, y = as_array(prediction, "predictions"), as_array(target, "targets")
    for x, what in ((p, "predictions"), (y, "targets")):
        if x.dtype.kind not in "biuf":
            raise DataError(f"the {what} must be numbers, not {x.dtype}")
        require_finite(x, what)
    p, y = (x[:, None] if x.ndim == 1 else x for x in (p.astype(float), y.astype(float)))
    require_same_shape(p, y)
    return p.reshape(len(p), -1), y.reshape(len(y), -1)
