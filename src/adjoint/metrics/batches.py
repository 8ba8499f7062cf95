"""Metrics that `fit` computes for each batch instead of for all samples at once."""

from collections.abc import Callable
from typing import Any


class MeanOfBatches:
    """A metric whose number is the mean over batches, weighted by their samples; `mean_of_batches` makes one.

    >>> from adjoint import metrics
    >>> import numpy as np
    >>> mae = metrics.mean_of_batches(lambda prediction, target: abs(prediction - target).mean())
    >>> float(mae(np.array([1.0, 2.0]), np.array([1.0, 4.0])))
    1.0
    """

    def __init__(self, function: Callable[[Any, Any], Any]):
        self.function = function
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    def __call__(self, prediction: Any, target: Any) -> Any:
        return self.function(prediction, target)

    def __repr__(self) -> str:
        return f"mean_of_batches({self.__name__})"


def mean_of_batches(function: Callable[[Any, Any], Any]) -> MeanOfBatches:
    """Return a metric that `fit` and `evaluate` compute for each batch, so that they do not keep all predictions.

    The result is the same for a metric that is a mean over samples, and otherwise an approximation of it.

    >>> from adjoint import metrics
    >>> @metrics.mean_of_batches
    ... def certainty(prediction, target):
    ...     return prediction.max(1).mean()
    >>> certainty
    mean_of_batches(certainty)
    """
    return MeanOfBatches(function)
